"""Files, streams, processes and HTTP: what the house needs of the world outside."""
