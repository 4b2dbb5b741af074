"""Models around a model: each adds one thing (retry, rate limits, batches, recording, a cache, counting) to any other."""
