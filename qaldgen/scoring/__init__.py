"""Scoring: matchers, counts of each question, and measures of counts and weights."""
