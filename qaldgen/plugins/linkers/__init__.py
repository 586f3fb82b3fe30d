"""Linkers: systems that find the entities, relations and classes of a question."""
