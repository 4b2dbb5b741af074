"""Reads JSON out of what models really send: reasoning and fences off, objects found, decoded, shaped.

Each module does one step and knows nothing of the others' input: ``reasoning`` (blocks of thinking), ``scan``
(where JSON values lie in text), ``decode`` (text to values, backslashes kept), ``shape`` (what a reply model
asks for), ``search`` (objects that may be the one, best first), ``scalars``, ``lists`` and ``coerce`` (values to
that shape), ``reader`` (all of it in order). ``values`` tells kinds of values apart.
"""
