"""The record itself: it names the line that changed, and does not depend on the clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from records import LONG, Normal, Outcome, differences, recorded, timeless

LINES = [f"line {number}" for number in range(3 * LONG)]


def changed(before: list[str], after: list[str]) -> list[str]:
    then = recorded("call", Outcome(0, {"stdout": "\n".join(before)}, {}))
    return list(differences(then, Outcome(0, {"stdout": "\n".join(after)}, {})))


def test_a_record_holds_no_text() -> None:
    kept = recorded("call", Outcome(0, {"stdout": "Who wrote it?"}, {}))
    assert "wrote" not in str(kept)


def test_the_line_that_changed_is_named() -> None:
    (said,) = changed(LINES[:9], [*LINES[:4], "other", *LINES[5:9]])
    assert said == "stdout: replace at line 5\n      other"


@pytest.mark.parametrize("number", [0, 700, len(LINES) - 1])
def test_in_a_long_text_a_few_lines_are_named(number: int) -> None:
    (said,) = changed(LINES, [*LINES[:number], "new", *LINES[number:]])
    first, last = (int(word) for word in said.splitlines()[0].split() if word.isdigit())
    assert first <= number + 1 <= last < first + 60


def test_a_missing_line_is_named() -> None:
    (said,) = changed(LINES[:9], LINES[:8])
    assert said == "stdout: delete at line 9"


def test_files_written_or_not_are_named() -> None:
    then = recorded("call", Outcome(0, {"a.ttl": "x"}, {"b.zip": "3 bytes"}))
    now = Outcome(1, {"c.csv": "y"}, {"b.zip": "4 bytes"})
    assert list(differences(then, now)) == [
        "a.ttl: not written",
        "b.zip: 4 bytes, recorded 3 bytes",
        "c.csv: not in the record",
        "status: 1, recorded 0",
    ]


def test_times_of_now_are_replaced_and_others_kept() -> None:
    now = datetime.now(timezone.utc)
    long_ago = "2003-07-01T12:00:00Z, 2004-02-29"
    made = [f"{at:%Y-%m-%dT%H:%M:%S.%f}+00:00" for at in (now, now - timedelta(seconds=9))]
    first, second = (
        timeless(f'{{"time": "{at}", "seconds": {n}}} {long_ago}') for n, at in enumerate(made)
    )
    assert first == second
    assert long_ago in first


def test_places_and_versions_are_replaced(tmp_path: Path) -> None:
    normal = Normal({"here": tmp_path}, {"numpy": "2.4.6"})
    assert normal(f'{tmp_path}/a.ttl by "numpy 2.4.6"') == '<here>/a.ttl by "numpy"'
    assert normal("numpy 2.4.60, 2.4.6") == "numpy 2.4.60, 2.4.6"


def test_last_digits_do_not_count_and_others_do() -> None:
    normal = Normal({}, {})
    assert normal("low 0.12916801882486734") == normal("low 0.12916801882486728")
    assert normal("low 0.12916801882486734") != normal("low 0.12916802882486734")
    assert normal("area 12.123456, v1.2.3") == "area 12.123456, v1.2.3"
