"""Renderers: folds over the events of a run, one per way of showing it."""
