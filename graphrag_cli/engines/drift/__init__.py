"""DRIFT: a question answered by a graph of questions. ``engine.DriftSearch`` runs it, ``frontier`` decides."""
