"""How models are spoken to.

base.py         the two protocols, ``ChatModel`` and ``Embedder``, and what they exchange
build.py        models made from settings, with everything around them
structured.py   one JSON step: ask, read, ask once more; replies.py has the shapes
extractive/     the embedded answerer, which quotes sentences
in_process/     other models without a server: GGUF, the embedded embedder, scripted ones
around/         models around a model: retry, rate, batches, recording, cache, usage and its limits
endpoints/      OpenAI-compatible endpoints
counting/       tokens
reading/        JSON out of what models really send

A folder imports from those below it here, never from one above.
"""
