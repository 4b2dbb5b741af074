"""What was indexed: tables of any version as one columnar snapshot, graph look-ups, vectors."""
