"""PolEval 2021, task 4: its metric, and what stands beside it."""
