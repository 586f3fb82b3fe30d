"""Is this answer right.

Matchers, counts of each question, and measures as functions of counts and weights.
"""
