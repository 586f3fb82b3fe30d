"""How many questions, or hand labels, it takes."""
