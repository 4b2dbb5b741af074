"""How a question is answered: basic, local, global, drift; each one ``stream(question)``."""
