"""Benchmarks: making, recording, writing and reading them."""
