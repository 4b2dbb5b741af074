"""How many tokens a text is, by model, exactly and without a network."""
