"""Questions and their features as RDF."""
