"""Any system as a server: for GERBIL, TEXT2SPARQL's client, and clients of chat models."""
