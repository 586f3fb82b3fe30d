"""An unknown name is answered with what may be meant, whatever it should name."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from qaldgen.analysis.comparing.multiplicity import Significance
from qaldgen.answers.reading import read_run
from qaldgen.asking.protocols import check_name
from qaldgen.errors import UsageError
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.reading import read_questions
from qaldgen.scoring.matchers import make_matcher
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.repeats import read_aggregation
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.words.extraction import make_extractor

#: A name with a slip in it, what it is given to, and what is meant.
SLIPS: dict[str, tuple[Callable[[str], object], str]] = {
    "contians": (lambda name: make_matcher(name, Rules()), "contains"),
    "offlien": (lambda name: make_matcher("gerbil", Rules(same_as=name)), "offline"),
    "macro-f": (find_measure, "macro-f1"),
    "micro_f1": (lambda name: find_measure(name, pd.DataFrame()), "micro-f1"),
    "majorty": (read_aggregation, "majority"),
    "lastline": (make_extractor, "last-line"),
    "templetes": (check_name, "templates"),
    "jurnal": (lambda name: read_run("x", format=name), "journal"),
    "qald_json": (lambda name: read_questions("x", ReadOptions(format=name)), "qald-json"),
    "hlom": (lambda name: Significance(correct=name), "holm"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_an_unknown_name_is_answered_with_what_may_be_meant(slip: str) -> None:
    use, meant = SLIPS[slip]
    with pytest.raises(UsageError, match=rf"did you mean (\S+ or )?{meant}\b"):
        use(slip)
