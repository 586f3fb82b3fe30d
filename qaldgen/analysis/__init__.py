"""Where a system fails, and which differences are real.

Features of questions, intervals, tests, slices.
"""
