"""RDF terms and files."""
