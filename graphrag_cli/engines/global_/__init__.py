"""global: many reports read in batches side by side, one answer from their key points."""
