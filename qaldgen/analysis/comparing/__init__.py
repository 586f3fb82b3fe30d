"""Who is better: paired tests, corrected for their number, and reversals on slices."""
