"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from qaldgen.plugins.serving.serve import serve
from qaldgen.plugins.serving.server import Served

__all__ = ["Served", "serve"]
