"""Named sets of questions, and the search for those on which systems are weak."""
