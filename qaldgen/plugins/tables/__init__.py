"""Results for others to load: an RDF Data Cube, and rows for the KGQA leaderboard."""
