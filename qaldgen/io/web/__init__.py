"""Talk HTTP to servers: SPARQL endpoints, question answering systems, file hosts."""
