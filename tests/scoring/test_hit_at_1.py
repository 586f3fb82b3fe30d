"""Hit@1 on the sets of the ACT paper, against our counts; answers are made from the gold."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from published import published

import qaldgen as qg


@pytest.mark.parametrize(
    "name",
    ["simplequestions-wikidata/annotated_wd_data_valid_answerable.txt", "rubq/RuBQ_2.0_dev.json"],
)
def test_hit_at_1_takes_the_first_answer_and_any_gold(name: str, tmp_path: Path) -> None:
    gold = qg.load(published(name))
    own = [one for one in gold.questions if one.answers is not None and one.answers.rows][:200]
    given: dict[str, object] = {}
    for at, one in enumerate(own):
        right = one.answers.values()[-1] if one.answers is not None else ""
        # right as an id, right as an IRI, right but second, nothing; the fifth is not there
        ways = [right.rsplit("/", 1)[-1], [right], ["Q0", right], []]
        given |= {one.id: ways[at % 5]} if at % 5 < len(ways) else {}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(given))
    scores = qg.score(dataclasses.replace(gold, questions=tuple(own)), path)
    found = scores.with_missing("zero")["hit"]
    assert (len(found), found.sum()) == (len(own), 2 * len(own) / 5)
