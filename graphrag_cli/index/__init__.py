"""What was indexed.

open.py, snapshot.py   an index as one snapshot: records by row, look-ups that cost what they touch
links.py, graph.py, key_table.py, communities.py, narrow.py   the look-ups themselves
union.py, union_part.py   several indexes as one
prepare.py       what a large index needs before its first question, made and told
places.py        where an index lies: a folder or an object store
arrow.py, records.py, lazy.py, lean.py   what the others are made with
checks/          what is wrong with an index
vectors/         LanceDB and other stores, search, ``index embed``
tables/          files of any release, adapted to one schema
kept/            the cache of large indexes

A folder imports from those below it here, never from one above.
"""
