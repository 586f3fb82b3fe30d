"""Rules that say, while the answers come in, whether enough is known."""
