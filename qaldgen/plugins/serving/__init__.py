"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import imported_on_use

if TYPE_CHECKING:
    from qaldgen.plugins.serving.system_server import RunningServer, serve

__all__ = ["RunningServer", "serve"]

__getattr__ = imported_on_use(__name__)
