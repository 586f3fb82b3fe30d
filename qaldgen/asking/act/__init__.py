"""ACT Selection.

The candidates of a language model, ranked by the types that they have in common.
"""
