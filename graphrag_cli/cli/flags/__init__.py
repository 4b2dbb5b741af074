"""Flags: how one is declared, groups of them that commands share, and the values made of them."""
