"""Answers questions over a Microsoft GraphRAG index from the shell."""

__version__ = "0.1.0"
