"""What the user asked for: the settings tree, how it is loaded, and the prompts."""
