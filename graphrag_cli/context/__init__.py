"""What goes into a prompt: pure, synchronous, no model calls."""
