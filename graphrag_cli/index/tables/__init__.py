"""The tables of any release of GraphRAG, wherever they lie, as columns of one canonical schema."""
