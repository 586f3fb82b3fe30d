"""The score on a whole pool, estimated from a sample of it."""
