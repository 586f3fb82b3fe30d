"""The explorer: a local page to choose questions, look at them, sample them and see systems fail."""
