"""What is wrong with an index, counted, and what to do about it."""
