"""Small question answering systems of our own: honest programs, none of them perfect."""
