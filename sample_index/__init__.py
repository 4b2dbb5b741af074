"""A small GraphRAG index about the race to the South Pole, and the code that builds it from readable sources."""
