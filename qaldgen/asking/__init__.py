"""Asking systems."""
