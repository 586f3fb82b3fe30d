"""GERBIL's rules for what is right."""
