"""One module per command; each has a typer app called ``app`` and bodies that parse, ask, and exit."""
