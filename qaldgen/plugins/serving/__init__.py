"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.serving.system_server import RunningServer, serve

__all__ = ["RunningServer", "serve"]

#: Where the public names stand; a module is imported when one of its names is used.
_HOMES = {
    "RunningServer": "qaldgen.plugins.serving.system_server",
    "serve": "qaldgen.plugins.serving.system_server",
}
__getattr__ = importer(__name__, _HOMES)
