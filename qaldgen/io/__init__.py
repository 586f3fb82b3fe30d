"""Files, streams, processes and HTTP: everything that touches the outside world."""
