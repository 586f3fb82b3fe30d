"""Where a system fails, and which differences are real: features of questions, intervals, tests, slices."""
