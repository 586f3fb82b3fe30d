"""Any system as a server, for GERBIL, the TEXT2SPARQL client and chat clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer

if TYPE_CHECKING:
    from qaldgen.plugins.serving.system_server import RunningServer as RunningServer
    from qaldgen.plugins.serving.system_server import serve as serve

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "system_server": ("RunningServer", "serve"),
}
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
