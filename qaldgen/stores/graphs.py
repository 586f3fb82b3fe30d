"""A knowledge graph that is asked: RDF on this machine, or an endpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from qaldgen.io.inputs import is_web_address
from qaldgen.stores.endpoint import Endpoint
from qaldgen.stores.local import LocalStore, open_file

KnowledgeGraph: TypeAlias = LocalStore | Endpoint
#: A knowledge graph as users name it: a file, the address of an endpoint, or an open one.
AnyGraph: TypeAlias = str | Path | KnowledgeGraph


def open_knowledge_graph(kg: AnyGraph) -> KnowledgeGraph:
    """Return an open knowledge graph: a file is read, an address is an endpoint."""
    if isinstance(kg, KnowledgeGraph):
        return kg
    if isinstance(kg, str) and is_web_address(kg):
        return Endpoint(kg)
    return open_file(Path(kg))
