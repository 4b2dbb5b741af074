"""What is kept of a large index in the cache folder, and mapped into memory from there."""
