"""OpenAI-compatible endpoints: how they are reached, what they take, what they send, what they refuse."""
