"""Suites: a small benchmark for each kind of question, as tests that say which kinds got worse."""
