"""Passages: collections, how their words are found, indexes, runs of retrievers, readers."""
