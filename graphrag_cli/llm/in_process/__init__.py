"""Models that need no server: a GGUF file, the embedded sentence embedder, scripted replies."""
