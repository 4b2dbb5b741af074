"""What programs read: the answer document, event lines, error documents, batch lines, and their JSON Schemas.

``shapes``, ``event_shapes`` and ``report_shapes`` state each document as a ``TypedDict``; ``build`` makes them from
values; ``strict`` writes JSON that every parser reads; ``fields`` picks parts; ``schemas`` (which alone needs pydantic)
prints JSON Schemas.
"""
