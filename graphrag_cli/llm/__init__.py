"""How models are spoken to: protocols, adapters, embedded models, structured replies, retry, usage."""
