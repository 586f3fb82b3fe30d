"""Public question sets by name."""
