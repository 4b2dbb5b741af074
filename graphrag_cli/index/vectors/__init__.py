"""Vectors: found by name wherever a release left them, checked, searched, and built where they are missing."""
