"""The embedded answerer: answers with sentences of the records it was sent, each with its citation.

It is not a language model. It reads a request as a person would who may only quote: ``parse`` finds the question
and the records in the messages, ``sentences`` cuts them into sentences, ``ranking`` scores those against the
question by embedding and shared words, ``choosing`` takes the best that do not repeat each other, ``writing`` puts
them into an answer, ``replies`` fills the JSON replies of the map, rating, primer, step and rewrite stages from the
same scores, ``followups`` turns what was not told into questions, and ``model`` is the ``ChatModel`` around it all.
The same request always gives the same reply.
"""

from graphrag_cli.llm.extractive.model import ExtractiveChat

__all__ = ["ExtractiveChat"]
