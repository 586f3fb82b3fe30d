"""Any system as a server for GERBIL, for the client of TEXT2SPARQL, and for whoever asks chat models."""
