"""PolEval 2021, task 4: its metric, and measures to put it into perspective."""
