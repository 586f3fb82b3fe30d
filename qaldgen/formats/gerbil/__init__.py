"""GERBIL's rules for what it reads: IRIs, values, files."""
