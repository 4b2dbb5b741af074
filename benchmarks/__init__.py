"""Figures: how long a question takes beyond the model, and what a big index costs. See README.md."""
