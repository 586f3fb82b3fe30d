"""The options that say how passages are found, for all verbs that search."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import groups
from qaldgen.commands.verb import FiniteRange, listed_option

if TYPE_CHECKING:
    from qaldgen.api.retrieving import Settings


@dataclasses.dataclass(frozen=True)
class RetrieverOptions:
    """Retrieval method."""

    retriever: str
    analyser: str
    lang: str
    title: bool
    k1: float
    b: float
    model: str
    server: str

    def settings(self) -> Settings:
        """Return what a retriever needs to know."""
        return api.retrieving.Settings(
            self.analyser, self.lang, self.title, self.k1, self.b, self.model, self.server
        )


def retriever_options(analyser: str = "token") -> Callable[[Any], Any]:
    """Add the options; the command gets them as ``how``.

    Parameters
    ----------
    analyser
        The default of ``--analyser``.
    """
    return groups.grouped(
        "how",
        RetrieverOptions,
        listed_option(
            "--retriever",
            table="retrievers",
            default="bm25",
            show_default=True,
            help="Retrieval method.",
        ),
        listed_option(
            "--analyser",
            table="analysers",
            default=analyser,
            show_default=True,
            help="How BM25 splits texts into terms.",
        ),
        click.option(
            "--lang",
            default="pl",
            show_default=True,
            help="The language of questions and passages.",
        ),
        click.option(
            "--title/--no-title",
            default=True,
            show_default=True,
            help="Whether titles are part of the passages.",
        ),
        click.option(
            "--k1",
            default=0.9,
            show_default=True,
            type=FiniteRange(0),
            help="BM25: weight of repeated terms.",
        ),
        click.option(
            "--b",
            default=0.4,
            show_default=True,
            type=FiniteRange(0, 1),
            help="BM25: correction for the length of passages.",
        ),
        click.option(
            "--model",
            default="",
            metavar="NAME",
            help="For dense: a folder, or the name of a sentence-transformers model.",
        ),
        click.option(
            "--server", default="", metavar="URL", help="For opensearch: http://host:port."
        ),
    )
