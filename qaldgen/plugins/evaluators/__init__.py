"""Logs of other evaluators: what was asked, what was answered, and what the log says of it."""
