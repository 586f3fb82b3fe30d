"""Ask a SPARQL endpoint over HTTP: the complete answer, or an error that says what is missing.

SPARQLWrapper writes the requests. Sending them is ours: its timeout is one per socket operation, its errors lose the
headers, its digest authentication changes every other request of the process, and it passes credentials on to any
host that a redirect names.
"""

from __future__ import annotations

from qaldgen.stores.endpoint.client import Endpoint

__all__ = ["Endpoint"]
