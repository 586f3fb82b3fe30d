"""The one source of candidates that a user names, opened, and how a journal names it."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from qaldgen.asking.language_models import openai
from qaldgen.asking.systems import Asker, NoAnswer, Posed, Said, System
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.reading import read_questions
from qaldgen.io.files import read_text
from qaldgen.io.web.retries import Gate
from qaldgen.plugins.act.candidates import Candidate, Generator, candidate, nearest_questions
from qaldgen.plugins.act.options import Act, Beams
from qaldgen.plugins.act.recorded import recorded_candidates

#: The models behind ``--generator``, each with what stands after its colon.
GENERATORS = {"seq2seq": "FOLDER", "openai": "URL"}


class CandidateSource(NamedTuple):
    """Where candidates come from."""

    name: str  # for the journal: files by their contents
    open: Callable[[], Generator]  # gives what proposes candidates
    #: Who is asked for them on the web; `open` asks the same, one question at a time.
    model: Asker | None = None


def source_of(system: System, own: Act) -> CandidateSource:
    """Return the source of candidates; ``act:SET`` names the training questions too."""
    if system.where and (own.training or own.candidates or own.generator):
        raise UsageError(
            f"act:{system.where} names the training questions; leave out --training, --candidates"
            " and --generator"
        )
    training = own.training or system.where
    if sum(map(bool, (training, own.candidates, own.generator))) != 1:
        raise UsageError(
            "act needs one source of candidates: --training SET (questions with answers),"
            " --candidates FILE or --generator MODEL"
        )
    if own.generator:
        return _model(system, own.how.beams, *generator_words(own.generator))
    path = training or own.candidates
    name = f"{'training' if training else 'candidates'} {Path(path).name} {digest_of(path)}"

    def opened() -> Generator:
        if not training:
            return recorded_candidates(path)
        return nearest_questions(read_questions(Path(path)), own.how.nearest, system.language)

    return CandidateSource(name, opened)


def digest_of(path: str) -> str:
    """Return what tells the contents of a file from others."""
    return hashlib.sha256(read_text(Path(path)).encode()).hexdigest()[:16]


def generator_words(text: str) -> tuple[str, str]:
    """Return the kind of a model and where it is.

    >>> generator_words("seq2seq:models/tiny")
    ('seq2seq', 'models/tiny')
    """
    kind, _, where = text.partition(":")
    if kind not in GENERATORS or not where:
        forms = " or ".join(f"{name}:{what}" for name, what in GENERATORS.items())
        raise UsageError(f"--generator {text}: {forms} is expected")
    return kind, where


def _model(system: System, beams: Beams, kind: str, where: str) -> CandidateSource:
    if kind == "seq2seq":
        from qaldgen.plugins.act.neural.seq2seq import fingerprint, seq2seq_model

        name = f"seq2seq {Path(where).name} {fingerprint(where)[:16]}"
        return CandidateSource(name, lambda: seq2seq_model(where, beams))
    chat = dataclasses.replace(
        system.chat,
        prompt="candidates" if system.chat.prompt == "short" else system.chat.prompt,
        answer_in=system.chat.answer_in or "lines",
    )
    asker = openai(dataclasses.replace(system, where=where, protocol=kind, chat=chat, kg=None))

    def propose(id_: str, question: str) -> list[Candidate]:
        async def ask() -> Said:
            async with asker.open(Gate()) as one:
                return await one(Posed(question, system.language, id=id_))

        try:
            return candidates_in(asyncio.run(ask()))
        except NoAnswer as problem:
            raise DataError(f"question {id_}: {problem.reason}") from None

    return CandidateSource(asker.name, lambda: propose, asker)


def candidates_in(said: Said) -> list[Candidate]:
    """Return the answers of a system as candidates, best first."""
    texts = [] if said.answers is None else said.answers.values()
    return [candidate(text) for text in dict.fromkeys(map(str.strip, texts)) if text]
