"""The embedded answerer: answers with sentences of the records it was sent, each with its citation.

It is not a language model. It reads a request as a person would who may only quote: ``parse`` finds the question
and the records in the messages, ``query`` looks at the question, ``sentences`` and ``candidates`` cut the records
into sentences that stand alone (``notes``: what earlier steps said), ``ranking`` scores those against the question by
embedding and shared words, ``choosing`` takes the best that do not repeat each other, ``writing`` puts them into an
answer, ``replies`` fills the JSON replies of the map, rating, primer, step and rewrite stages from the same scores,
``followups`` turns what was not told into questions (``clauses``, ``verbs`` and ``names`` read who did what), and
``model`` is the ``ChatModel`` around it all. ``weights`` has every number that was tuned.
The same request always gives the same reply.
"""

from graphrag_cli.llm.extractive.model import ExtractiveChat

__all__ = ["ExtractiveChat"]
