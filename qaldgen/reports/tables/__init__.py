"""Results as tables, LaTeX, Data Cube and leaderboard rows."""
