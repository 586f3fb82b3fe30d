"""Histograms of properties: every number in a bin, and nothing that makes no histogram."""

from __future__ import annotations

import numpy as np
import pytest
from pyoxigraph import Literal, NamedNode, Quad

from qaldgen.errors import DataError
from qaldgen.plugins.explorer.histograms import MAX_BINS, NONE, Column, Histograms, make_histograms
from qaldgen.rdf.terms import CODES, QALDGEN, XSD, Term
from qaldgen.stores.local import open_quads

TEXT = NamedNode("https://schema.org/text")


def typed(value: object, kind: str) -> Literal:
    return Literal(str(value), datatype=NamedNode(XSD + kind))


def of(*values: Term | None, more: list[Quad] | None = None) -> Histograms:
    """Return the histograms of questions 1, 2, ... with these values of a property."""
    quads = [
        Quad(NamedNode(f"urn:{n}"), TEXT, Literal(f"What is {n}?", language="en"))
        for n in range(1, len(values) + 1)
    ]
    quads += [
        Quad(NamedNode(f"urn:{n}"), NamedNode("urn:p"), value)
        for n, value in enumerate(values, 1)
        if value is not None
    ]
    return make_histograms(open_quads("set", quads + (more or [])))


def column(*values: Term | None) -> Column:
    (found,) = of(*values).columns
    return found


def test_each_number_has_its_bin_and_missing_ones_have_none() -> None:
    found = column(typed(3, "integer"), None, typed("3.0", "decimal"), typed(1, "int"))
    assert [one.label for one in found.bins] == ["1", "3"]
    assert found.codes.tolist() == [1, NONE, 1, 0]


@pytest.mark.parametrize("skewed", [False, True])
def test_many_numbers_share_bins_whose_ends_are_numbers_of_the_data(*, skewed: bool) -> None:
    numbers = [n**4 if skewed else n for n in range(200)]
    found = column(*(typed(n, "integer") for n in numbers))
    assert 5 < len(found.bins) <= MAX_BINS
    for at, one in enumerate(found.bins):
        inside = [n for n, code in zip(numbers, found.codes.tolist(), strict=True) if code == at]
        assert inside
        assert (one.low, one.high) == (min(inside), max(inside))
        assert [term.value for term in one.terms] == [str(min(inside)), str(max(inside))]
    counts = np.bincount(found.codes)
    assert counts.max() < 100


def test_flags_and_codes_are_called_by_their_words() -> None:
    flags = column(typed("true", "boolean"), typed("0", "boolean"), typed("1", "boolean"))
    assert [one.label for one in flags.bins] == ["no", "yes"]
    assert flags.codes.tolist() == [1, 0, 1]
    codes = [NamedNode(f"{CODES}whType/{name}") for name in ("who", "which", "who")]
    quads = [
        Quad(NamedNode(f"urn:{n}"), NamedNode(f"{QALDGEN}whType"), code)
        for n, code in enumerate(codes, 1)
    ]
    found = next(one for one in of(None, None, None, more=quads).columns)
    assert (found.name, found.label) == ("whType", "question word")
    assert [one.label for one in found.bins] == ["asks which", "asks who"]


@pytest.mark.parametrize(
    "values",
    [
        [Literal("same")] * 3,
        [Literal(f"text {n}") for n in range(60)],
        [typed("NaN", "double"), typed("INF", "double"), typed(1, "double")] * 20
        + [typed(n, "double") for n in range(60)],
    ],
    ids=["constant", "texts", "endless"],
)
def test_what_makes_no_histogram_is_counted(values: list[Literal]) -> None:
    found = of(*values)
    assert found.columns == ()
    assert found.left_out == 1


def test_several_values_of_a_question_make_no_histogram() -> None:
    more = [Quad(NamedNode("urn:1"), NamedNode("urn:p"), Literal("b"))]
    found = of(Literal("a"), Literal("b"), more=more)
    assert (found.columns, found.left_out) == ((), 1)


def test_questions_come_in_natural_order_with_the_wanted_wording() -> None:
    more = [Quad(NamedNode("urn:1"), TEXT, Literal("Was ist 1?", language="de"))]
    found = of(*[None] * 11, more=more)
    assert found.ids[:2] == ("urn:1", "urn:2")
    assert found.ids[-1] == "urn:11"
    assert found.texts[0] == "What is 1?"


def test_data_without_questions_are_refused() -> None:
    with pytest.raises(DataError, match="no subject has a text"):
        make_histograms(
            open_quads("set", [Quad(NamedNode("urn:a"), NamedNode("urn:p"), Literal(1))])
        )
