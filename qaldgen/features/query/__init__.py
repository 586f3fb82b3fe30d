"""Features of SPARQL queries."""
