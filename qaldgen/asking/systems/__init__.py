"""Small question answering systems of our own."""
