"""The report, pictures and tables."""
