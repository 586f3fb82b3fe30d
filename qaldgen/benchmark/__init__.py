"""The benchmark that comes out: made, recorded, written and read."""
