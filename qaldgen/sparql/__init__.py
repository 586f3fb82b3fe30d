"""SPARQL queries as text: tokens, parts, grammar, repair, and the ready queries."""
