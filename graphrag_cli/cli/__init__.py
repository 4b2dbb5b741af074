"""What the user sees: commands, options, consoles, error boundary, renderers."""
