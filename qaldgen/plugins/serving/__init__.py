"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from qaldgen.plugins.serving.system_server import Served, serve

__all__ = ["Served", "serve"]
