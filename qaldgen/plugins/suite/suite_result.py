"""The results of a run of a suite: a line for each kind, and JUnit XML for CI."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from xml.etree import ElementTree as Xml

import pandas as pd

from qaldgen.io.result_display import result_text
from qaldgen.io.text import count
from qaldgen.plugins.stopping.looks import EXAGGERATED
from qaldgen.plugins.suite.decisions import NOT_ENOUGH, KindOutcome
from qaldgen.plugins.suite.making import Kind, Suite

WORSE = "worse"
#: Characters that XML cannot hold.
_UNPRINTABLE = re.compile("[^\\t\\n\\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclasses.dataclass(frozen=True)
class SuiteResult:
    """The verdicts on the kinds of a suite.

    Attributes
    ----------
    suite : Suite
        The suite.
    system : str
        The new system.
    outcomes : mapping of str to KindOutcome
        The outcome of the looks by kind.
    scores : mapping of str to (float, float)
        By kind, the scores of the old and the new system on the questions of the last look.
    asked, size : int
        The number of questions that were answered, and that of the suite.
    notes : tuple of str
        Notes on the scoring of the answers.
    stopped : str
        Why asking ended before every kind was decided; empty if every kind is decided.
    """

    suite: Suite
    system: str
    outcomes: Mapping[str, KindOutcome]
    scores: Mapping[str, tuple[float, float]]
    asked: int
    size: int
    notes: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def verdicts(self) -> dict[str, str]:
        """By kind ``better``, ``worse``, ``no difference`` or ``not enough``."""
        return {kind: outcome.verdict for kind, outcome in self.outcomes.items()}

    @property
    def worse(self) -> tuple[Kind, ...]:
        """The kinds that got worse."""
        return tuple(kind for kind in self.suite.kinds if self.verdicts[kind.name] == WORSE)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each kind.

        ``kind``, ``verdict``, ``questions``, ``of`` (its last look), ``old``, ``new``,
        ``difference`` with ``low`` and ``high``, and ``sees``, the least fall that it can see.
        """
        rows = []
        for kind in self.suite.kinds:
            verdict, look = self.outcomes[kind.name]
            old, new = self.scores[kind.name]
            last = kind.sizes[-1] if kind.sizes else kind.pool
            interval: tuple[float | None, ...] = (None, None, None)
            questions = 0
            if look is not None:
                questions = look.n
                interval = (look.estimate, look.low, look.high)
            rows.append((kind.label, verdict, questions, last, old, new, *interval, kind.least))
        columns = ["kind", "verdict", "questions", "of", "old", "new", "difference"]
        return pd.DataFrame(rows, columns=[*columns, "low", "high", "sees"])

    @property
    def sentence(self) -> str:
        """The outcome as a sentence."""
        worse = ", ".join(kind.label for kind in self.worse) or "no kind"
        parts = [
            f"{self.system} is worse on {worse}",
            f"{self.asked:,} of {count(self.size, 'question')} asked",
        ]
        if self.stopped:
            parts.append(self.stopped)
        return "; ".join(parts)

    def __str__(self) -> str:
        """Return the sentence, the table and the notes."""
        return result_text([self.sentence, self.table.to_string(index=False)], self.notes)

    def figures(self, kind: Kind) -> str:
        """Return the figures of a kind as a phrase."""
        look = self.outcomes[kind.name].look
        if look is None:
            return f"no look yet; {count(kind.pool, 'such question')}"
        old, new = self.scores[kind.name]
        return (
            f"{old:.3f} before, {new:.3f} now, a difference of {look.estimate:+.3f} (between"
            f" {look.low:+.3f} and {look.high:+.3f}) on {count(look.n, 'question')}"
        )

    def junit(self) -> bytes:
        """Return JUnit XML: a test case a kind, worse is a failure, not enough is skipped."""
        verdicts = list(self.verdicts.values())
        suite = Xml.Element(
            "testsuite",
            name=f"qaldgen.{self.suite.source}",
            tests=str(len(verdicts)),
            failures=str(verdicts.count(WORSE)),
            errors="0",
            skipped=str(verdicts.count(NOT_ENOUGH)),
            time="0",
        )

        for kind in self.suite.kinds:
            case = Xml.SubElement(
                suite,
                "testcase",
                classname=f"qaldgen.{self.suite.source}",
                name=kind.label,
                time="0",
            )

            verdict = self.verdicts[kind.name]
            message = f"{verdict}: {self.figures(kind)}"
            if verdict == WORSE:
                failure = Xml.SubElement(case, "failure", type=WORSE, message=message)
                failure.text = f"{kind.label}: {message}. {EXAGGERATED}."
            elif verdict == NOT_ENOUGH:
                Xml.SubElement(case, "skipped", message=message)
            else:
                Xml.SubElement(case, "system-out").text = message

        root = Xml.Element("testsuites")
        root.append(suite)
        for element in root.iter():
            element.attrib.update({name: _clean_text(text) for name, text in element.items()})
            element.text = _clean_text(element.text or "") or None
        Xml.indent(root)
        return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _clean_text(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return _UNPRINTABLE.sub("\ufffd", text)
