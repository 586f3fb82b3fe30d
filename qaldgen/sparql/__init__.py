"""SPARQL as text: tokens, parts of queries, the grammar, and the ready queries."""
