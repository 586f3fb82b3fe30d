"""The explorer: a local page to choose, view and sample questions, and see systems fail."""
