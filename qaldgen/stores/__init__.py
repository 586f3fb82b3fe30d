"""One way to ask for RDF: a local file in Oxigraph, or an endpoint."""
