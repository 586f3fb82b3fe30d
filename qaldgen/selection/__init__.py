"""From the rows of a query to normalised vectors, and what got lost on the way."""
