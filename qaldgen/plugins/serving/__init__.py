"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from __future__ import annotations

from qaldgen.io.lazy import importer

__getattr__ = importer(__name__)
