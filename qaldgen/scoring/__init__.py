"""Is this answer right: matchers, counts of each question, and measures as functions of counts and weights."""
