"""DRIFT: a question answered by a graph of questions. ``engine.DriftEngine`` runs it; ``frontier`` says how it decides."""
