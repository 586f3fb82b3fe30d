"""The verdict of a log as what counts."""

from __future__ import annotations

import pytest

from qaldgen.answers.record import Response
from qaldgen.model import Question
from qaldgen.scoring.verdicts import count_logged

ASKED = Question("1", {"en": ("Which town?",)})


@pytest.mark.parametrize("share", [0.0, 0.25, 1 / 3, 0.5, 0.999, 1.0])
def test_a_share_is_precision_recall_and_f1(share: float) -> None:
    count = count_logged(ASKED, Response("1", verdicts=(("judge", share),)))

    assert count is not None
    assert (count.precision, count.recall, count.f1) == pytest.approx(
        (share, share, share), abs=1e-3
    )


@pytest.mark.parametrize("verdicts", [(), (("stars", 4.0),), (("loss", -0.5),)])
def test_without_a_score_from_0_to_1_nobody_can_tell(
    verdicts: tuple[tuple[str, float], ...],
) -> None:
    assert count_logged(ASKED, Response("1", verdicts=verdicts)) is None
