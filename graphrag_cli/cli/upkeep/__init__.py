"""What commands that ask nothing do: looking at settings, indexes, models and caches, and building vectors."""
