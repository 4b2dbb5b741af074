"""Where text goes: the two streams, files, tables; nothing here knows what is asked."""
