"""Features of the texts of questions."""
