"""From rows to vectors: nothing dropped, filled or flat in silence."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import UsageError
from qaldgen.io.text import natural_key
from qaldgen.rdf.terms import XSD, Rows, Term, python_value
from qaldgen.selection import vectors as module
from qaldgen.selection.encoding import WIDE_CATEGORY
from qaldgen.selection.vectors import Vectors, build_vectors

Refused = Callable[..., str]
Q = "http://x.org/question#"
Cells = Mapping[str, Term | None]


def number(value: object, kind: str = "int") -> Literal:
    return Literal(str(value), datatype=NamedNode(XSD + kind))


def iri(name: str) -> NamedNode:
    return NamedNode("http://x.org/" + name)


def table(*rows: tuple[object, Cells]) -> Rows:
    """Make the answer of a query from pairs of a question and its cells."""
    names = tuple(dict.fromkeys(name for _, cells in rows for name in cells))
    made: list[tuple[Term | None, ...]] = [
        (NamedNode(f"{Q}{question}"), *(cells.get(name) for name in names))
        for question, cells in rows
    ]
    return Rows(("qId", *names), made)


def build(*rows: tuple[object, Cells], **options: Any) -> Vectors:  # noqa: ANN401
    return build_vectors(table(*rows), "qId", **options)


def column(terms: Sequence[Term | None], **options: Any) -> Vectors:  # noqa: ANN401
    """Build the vectors of questions 0, 1, ... with one variable ?x."""
    return build(*[(at, {"x": term}) for at, term in enumerate(terms)], **options)


def short(vectors: Vectors) -> list[str]:
    return [name.removeprefix(Q) for name in vectors.ids]


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["10", "9", "1", "0"], ["0", "1", "9", "10"]),
        (["q10", "q9a", "q9", "p11"], ["p11", "q9", "q9a", "q10"]),
        (["1", "01", "001", "2"], ["001", "01", "1", "2"]),
        (["2.10", "2.9", "10.1"], ["2.9", "2.10", "10.1"]),
        (["a1b20", "a1b3", "a1"], ["a1", "a1b3", "a1b20"]),
        (["b", "a", "B"], ["B", "a", "b"]),
    ],
)
def test_ids_come_in_natural_order(names: list[str], ordered: list[str]) -> None:
    assert sorted(names, key=natural_key) == ordered
    assert short(build(*[(name, {"x": number(1)}) for name in names])) == ordered


def test_order_of_rows_does_not_matter() -> None:
    rows: list[tuple[object, Cells]] = [
        (at, {"n": number(at % 5), "kind": iri(f"k{part}"), "flag": number("true", "boolean")})
        for at in range(12)
        for part in range(at % 3 + 1)
    ]
    shuffled = rows[:]
    random.Random(3).shuffle(shuffled)
    first, second = build(*rows), build(*shuffled)
    assert (first.ids, first.features, first.notes) == (second.ids, second.features, second.notes)
    assert first.raw.tolist() == second.raw.tolist()
    assert first.matrix.tolist() == second.matrix.tolist()


def test_features_come_in_the_order_of_the_query() -> None:
    vectors = build((1, {"z": number(1), "a": number(2)}), (2, {"z": number(3), "a": number(4)}))
    assert vectors.features == ("z", "a")
    assert vectors.raw.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_question_may_stand_in_any_column() -> None:
    rows = Rows(("n", "q"), [(number(3), NamedNode(f"{Q}1")), (number(4), NamedNode(f"{Q}2"))])
    vectors = build_vectors(rows, "q")
    assert (short(vectors), vectors.features, vectors.raw.tolist()) == (
        ["1", "2"],
        ("n",),
        [[3.0], [4.0]],
    )


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("009", "int", 9.0), ("-3", "integer", -3.0), ("+4", "long", 4.0), ("1.50", "decimal", 1.5),
        ("1E3", "double", 1000.0), (".5", "float", 0.5), (" 7 ", "short", 7.0),
        ("5", "nonNegativeInteger", 5.0), ("5", "positiveInteger", 5.0),
        ("255", "unsignedByte", 255.0), ("1", "byte", 1.0), ("-1", "negativeInteger", -1.0),
        ("0", "nonPositiveInteger", 0.0), ("1", "unsignedInt", 1.0), ("1", "unsignedLong", 1.0),
        ("1", "unsignedShort", 1.0),
    ],
)  # fmt: skip
def test_number_is_read(text: str, kind: str, value: float) -> None:
    vectors = column([number(text, kind)], scaling="minmax")
    assert (vectors.features, vectors.raw.tolist()) == (("x",), [[value]])


@pytest.mark.parametrize(
    ("text", "value"), [("true", 1.0), ("1", 1.0), ("false", 0.0), ("0", 0.0), (" true ", 1.0)]
)
def test_boolean_is_0_or_1(text: str, value: float) -> None:
    vectors = column([number(text, "boolean")])
    assert (vectors.features, vectors.raw.tolist()) == (("x",), [[value]])


def test_booleans_and_numbers_go_together() -> None:
    assert column([number("true", "boolean"), number(3)]).raw.tolist() == [[1.0], [3.0]]


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (Literal("abc"), "abc"),
        (Literal("abc", language="de"), "abc"),
        (iri("A"), "http://x.org/A"),
        (BlankNode("b"), "b"),
        (number("2020-01-01", "date"), "2020-01-01"),
        (number("seven"), "seven"),
        (number("yes", "boolean"), "yes"),
        (number("1_000"), "1_000"),
        (number("inf", "double"), "inf"),
        (number("-infinity", "double"), "-infinity"),
    ],
)
def test_what_is_no_number_is_text(term: Term, value: str) -> None:
    assert python_value(term) == value


def test_text_has_a_column_for_each_value_in_natural_order() -> None:
    vectors = column([Literal("b"), Literal("a10"), Literal("a9"), Literal("b")])
    assert vectors.features == ("x=a9", "x=a10", "x=b")
    assert vectors.raw.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_iris_are_shortened() -> None:
    assert column([iri("v#B"), iri("v#A")]).features == ("x=A", "x=B")


def test_iris_that_would_be_equal_stay_long() -> None:
    assert column([iri("v#A"), iri("w#A")]).features == ("x=http://x.org/v#A", "x=http://x.org/w#A")


def test_iris_without_a_last_name_stay_long() -> None:
    assert column([iri("v/"), iri("w/A")]).features == ("x=http://x.org/v/", "x=http://x.org/w/A")


def test_text_with_a_slash_is_not_shortened() -> None:
    assert column([Literal("Yes/No"), Literal("list")]).features == ("x=Yes/No", "x=list")


def test_empty_text_is_a_value() -> None:
    vectors = column([Literal(""), Literal("a")])
    assert (vectors.features, vectors.missing_counts) == (("x=", "x=a"), {})


def test_several_values_set_several_columns() -> None:
    vectors = build(
        (1, {"x": iri("A")}),
        (1, {"x": iri("B")}),
        (2, {"x": iri("B")}),
        (3, {"x": iri("C")}),
        (1, {"x": iri("A")}),
    )
    assert vectors.features == ("x=A", "x=B", "x=C")
    assert vectors.raw.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]


def test_number_repeated_by_a_category_counts_once() -> None:
    rows: list[tuple[object, Cells]] = [
        (1, {"n": number(5), "x": iri("A")}),
        (1, {"n": number(5), "x": iri("B")}),
    ]
    assert build(*rows, (2, {"n": number(6), "x": iri("A")})).raw.tolist() == [[5, 1, 1], [6, 1, 0]]


def test_equal_numbers_of_different_type_count_once() -> None:
    assert build((1, {"x": number(3)}), (1, {"x": number("3.0", "decimal")})).raw.tolist() == [
        [3.0]
    ]


def test_several_numbers_of_one_question_are_refused(refused: Refused) -> None:
    message = refused(
        lambda: build(
            (1, {"x": number(2)}),
            (2, {"x": number(10)}),
            (2, {"x": number(9)}),
            (2, {"x": number(1.5)}),
        )
    )
    assert (
        message
        == f"{Q}2 has 3 values of ?x (1.5, 9, 10), but a number needs exactly one: aggregate "
        "it, for instance (MAX(?x) AS ?xMax) ... GROUP BY"
    )


def test_true_and_false_of_one_question_are_refused(refused: Refused) -> None:
    rows: list[tuple[object, Cells]] = [
        (1, {"x": number("true", "boolean")}),
        (1, {"x": number("false", "boolean")}),
    ]
    assert f"{Q}1 has 2 values of ?x (0, 1)" in refused(lambda: build(*rows))


def test_numbers_and_text_in_one_variable_are_refused(refused: Refused) -> None:
    message = refused(lambda: column([number(1), Literal("many"), Literal("few")]))
    assert (
        message == f"?x is a number for some questions and text for others ({Q}1 has 'many'); "
        "exclude the text with FILTER(isNumeric(?x)), or convert all values to text with STR(?x)"
    )


def test_ill_typed_number_among_numbers_is_refused(refused: Refused) -> None:
    assert f"({Q}1 has 'seven')" in refused(lambda: column([number(1), number("seven")]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("NaN", "nan"), ("INF", "inf"), ("-INF", "-inf"), ("+INF", "inf"), ("1E999", "inf")],
)
def test_number_that_is_not_finite_is_refused(refused: Refused, text: str, shown: str) -> None:
    message = refused(lambda: column([number(1), number(text, "double")], scaling="minmax"))
    assert (
        message == f"{Q}1: ?x is {shown}; distances need finite numbers; exclude it with a FILTER"
    )


def test_nan_in_several_rows_of_one_question_is_not_several_values(refused: Refused) -> None:
    nan = number("NaN", "double")
    message = refused(lambda: build((1, {"n": nan, "x": iri("A")}), (1, {"n": nan, "x": iri("B")})))
    assert message.startswith(f"{Q}1: ?n is nan; distances need finite numbers")


HOLES: list[tuple[object, Cells]] = [
    (1, {"n": number(1), "m": number(4)}),
    (2, {"n": None, "m": number(8)}),
    (3, {"n": number(5), "m": None}),
    (4, {"n": number(3), "m": number(6)}),
]


def test_drop_leaves_out_questions_with_an_unbound_variable() -> None:
    vectors = build(*HOLES, missing="drop")
    assert (short(vectors), vectors.raw.tolist()) == (["1", "4"], [[1, 4], [3, 6]])
    assert (vectors.dropped, dict(vectors.missing_counts), vectors.missing) == (
        2,
        {"n": 1, "m": 1},
        "drop",
    )
    assert vectors.matrix.tolist() == [[1 / 3, 4 / 6], [1, 1]]


def test_zero_fills_in_zero() -> None:
    vectors = build(*HOLES, missing="zero")
    assert (short(vectors), vectors.raw.tolist()) == (
        ["1", "2", "3", "4"],
        [[1, 4], [0, 8], [5, 0], [3, 6]],
    )
    assert (vectors.dropped, dict(vectors.missing_counts), vectors.missing) == (
        0,
        {"n": 1, "m": 1},
        "zero",
    )


def test_mean_fills_in_the_mean_of_the_others() -> None:
    vectors = build(*HOLES, missing="mean")
    assert vectors.raw.tolist() == [[1, 4], [3, 8], [5, 6], [3, 6]]
    assert (vectors.dropped, dict(vectors.missing_counts)) == (0, {"n": 1, "m": 1})


def test_unbound_category_is_dropped() -> None:
    vectors = column([Literal("a"), None, Literal("b")], missing="drop")
    assert (short(vectors), vectors.raw.tolist()) == (["0", "2"], [[1, 0], [0, 1]])


def test_unbound_category_is_filled_with_zeros() -> None:
    assert column([Literal("a"), None, Literal("b")], missing="zero").raw.tolist() == [
        [1, 0],
        [0, 0],
        [0, 1],
    ]


def test_unbound_category_is_filled_with_shares() -> None:
    vectors = column([Literal("a"), None, Literal("b"), Literal("a"), Literal("a")], missing="mean")
    assert vectors.raw[1].tolist() == [0.75, 0.25]


def test_variable_bound_in_another_row_is_not_missing() -> None:
    vectors = build((1, {"x": None, "y": iri("A")}), (1, {"x": number(2), "y": iri("B")}))
    assert (vectors.dropped, dict(vectors.missing_counts), vectors.raw[0, 0]) == (0, {}, 2.0)


@pytest.mark.parametrize("missing", ["zero", "mean"])
def test_variable_that_is_nowhere_bound_is_filled_with_zeros(missing: str) -> None:
    vectors = build(
        (1, {"n": number(1), "m": None}), (2, {"n": number(2), "m": None}), missing=missing
    )
    assert (vectors.raw.tolist(), dict(vectors.missing_counts)) == ([[1, 0], [2, 0]], {"m": 2})


def test_nothing_left_is_refused_with_the_worst_variable(refused: Refused) -> None:
    rows: list[tuple[object, Cells]] = [
        (1, {"n": None, "m": None}),
        (2, {"n": number(1), "m": None}),
        (3, {"n": None, "m": None}),
    ]
    assert (
        refused(lambda: build(*rows))
        == "no question has a value for every variable; ?m alone is unbound in 3 of 3. "
        "Use `missing='zero'` or `missing='mean'`, or remove the variable"
    )


@pytest.mark.parametrize("missing", ["drop", "zero", "mean"])
def test_no_rows_are_refused(refused: Refused, missing: str) -> None:
    assert "no question" in refused(
        lambda: build_vectors(Rows(("qId", "n"), []), "qId", missing=missing)
    )


@pytest.mark.parametrize("scaling", ["max", "minmax", "rank", "log", "zscore"])
def test_one_row_is_one_vector(scaling: str) -> None:
    vectors = build((1, {"n": number(3), "x": iri("A")}), scaling=scaling)
    assert (len(vectors), vectors.features, vectors.raw.tolist()) == (1, ("n", "x=A"), [[3.0, 1.0]])
    assert vectors.notes == ()


def test_query_without_features_is_refused(refused: Refused) -> None:
    message = refused(lambda: build((1, {}), (2, {})), UsageError)
    assert message == "the query only selects ?qId; select at least one feature too"


@pytest.mark.parametrize(
    ("term", "shown"), [(None, "unbound"), (Literal("x"), '"x"'), (BlankNode("b"), "_:b")]
)
def test_question_without_an_iri_is_refused(
    refused: Refused, term: Term | None, shown: str
) -> None:
    rows = Rows(("qId", "n"), [(iri("q1"), number(1)), (term, number(2))])
    assert (
        refused(lambda: build_vectors(rows, "qId"))
        == f"?qId is {shown} in one row; every question needs an IRI"
    )


def test_unknown_rules_are_refused(refused: Refused) -> None:
    message = refused(lambda: column([number(1)], scaling="maximum"), UsageError)
    assert (
        message
        == "unknown scaling 'maximum'; did you mean max? choose one of max, minmax, rank, log,"
        " zscore"
    )
    message = refused(lambda: column([number(1)], missing="guess"), UsageError)
    assert message == "unknown rule for missing values 'guess'; choose one of drop, zero, mean"


@pytest.mark.parametrize("scaling", ["max", "log"])
def test_negative_value_is_refused_with_question_and_value(refused: Refused, scaling: str) -> None:
    message = refused(lambda: column([number(1), number(-2)], scaling=scaling))
    assert message.startswith(f"?x is -2 for {Q}1; scaling {scaling} needs values of at least 0")


def test_negative_value_of_a_dropped_question_does_not_matter() -> None:
    assert len(build((1, {"n": number(1), "m": number(1)}), (2, {"n": number(-1), "m": None}))) == 1


def test_too_many_cells_are_refused(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CELLS", 8)
    rows: list[tuple[object, Cells]] = [
        (at, {"n": number(at), "x": iri(f"k{at}")}) for at in range(3)
    ]
    assert (
        refused(lambda: build(*rows))
        == "?x has 3 distinct values, too many for one column each; group them"
    )


def test_constant_number_is_noted() -> None:
    assert column([number(5)] * 3).notes == (
        "?x is 5 for every question; a constant feature distinguishes no questions",
    )


def test_constant_text_is_noted() -> None:
    assert column([Literal("a")] * 3).notes == (
        "?x is 'a' for every question; a constant feature distinguishes no questions",
    )


def test_what_differs_is_not_noted() -> None:
    assert (
        build((1, {"n": number(1), "x": iri("A")}), (2, {"n": number(2), "x": iri("B")})).notes
        == ()
    )


@pytest.mark.parametrize("term", [number(5), Literal("a")], ids=["number", "text"])
def test_constant_that_is_filled_with_zeros_is_not_constant(term: Term) -> None:
    assert column([term, term, None], missing="zero").notes == ()


@pytest.mark.parametrize(
    "terms",
    [[number(1), number(1), number(2)], [iri("A"), iri("A"), iri("B")]],
    ids=["number", "text"],
)
def test_feature_that_dropping_makes_constant_is_noted(terms: list[Term]) -> None:
    rows: list[tuple[object, Cells]] = [
        (at, {"x": term, "m": number(at) if at < 2 else None}) for at, term in enumerate(terms)
    ]
    assert [note for note in build(*rows).notes if "?x" in note and "constant" in note] != []


def test_wide_category_is_noted_beyond_fifty_values() -> None:
    assert WIDE_CATEGORY == 50
    assert column([Literal(f"v{at}") for at in range(50)]).notes == ()
    assert column([Literal(f"v{at}") for at in range(51)]).notes == (
        "?x has 51 values, each with its own column, and outweighs the other features; group them",
    )


@pytest.mark.parametrize("texts", [["1", "20"], ["-1.5", "+2"], [".5", "007"]])
def test_text_that_looks_like_numbers_is_noted(texts: list[str]) -> None:
    vectors = column([Literal(text) for text in texts])
    assert len(vectors.features) == 2
    assert vectors.notes == (
        (
            "?x is text that looks like numbers and is treated as categorical; convert it with"
            " (xsd:decimal(?x) AS ?n)"
        ),
    )


@pytest.mark.parametrize("texts", [["1", "two"], ["1", ""], ["1.2.3", "4"], ["2020-01-01", "1"]])
def test_text_that_does_not_look_like_numbers_is_not_noted(texts: list[str]) -> None:
    assert column([Literal(text) for text in texts]).notes == ()


def test_nearly_constant_feature_is_noted() -> None:
    vectors = column([number(4)] * 95 + [number(at) for at in range(5, 10)])
    assert vectors.notes == ("?x is 4 for 95% of the questions: nearly constant",)


def test_feature_constant_for_less_than_95_percent_is_not_noted() -> None:
    assert column([number(4)] * 94 + [number(at) for at in range(5, 11)]).notes == ()


def test_nearly_constant_is_never_called_all() -> None:
    vectors = column([number(4)] * 9998 + [number(5), number(6)])
    assert vectors.notes == ("?x is 4 for 99.9% of the questions: nearly constant",)


def test_feature_that_an_outlier_makes_flat_is_noted() -> None:
    vectors = column([number(at % 10) for at in range(99)] + [number(100_000)])
    assert vectors.notes == (
        (
            "?x: 99% of the questions are in the lowest hundredth of the scale after max (median"
            " 4.5, largest 100000), so it hardly counts; try `scaling='log'` or"
            " `scaling='rank'`"
        ),
    )


@pytest.mark.parametrize(("low", "notes"), [(95, 1), (94, 0)])
def test_feature_is_flat_if_95_percent_are_low(low: int, notes: int) -> None:
    high = [number(100_000 - at) for at in range(100 - low)]
    assert len(column([*(number(at % 10) for at in range(low)), *high]).notes) == notes


def test_rank_takes_the_outlier_away() -> None:
    assert (
        column([number(at % 10) for at in range(99)] + [number(100_000)], scaling="rank").notes
        == ()
    )


BASE: list[tuple[object, Cells]] = [
    (1, {"n": number(1), "m": number(2)}),
    (2, {"n": number(3), "m": number(4)}),
]


def test_sha256_is_stable() -> None:
    assert build(*BASE).sha256() == build(*BASE).sha256()
    assert len(build(*BASE).sha256()) == 64


def test_sha256_is_the_same_for_the_same_table_from_other_terms() -> None:
    other: list[tuple[object, Cells]] = [
        (2, {"n": number("3.0", "decimal"), "m": number("4E0", "double")}),
        (1, {"n": number("001"), "m": number(2)}),
    ]
    assert build(*other).sha256() == build(*BASE).sha256()


def test_sha256_does_not_depend_on_the_scaling() -> None:
    assert build(*BASE, scaling="zscore").sha256() == build(*BASE, scaling="max").sha256()


def test_sha256_takes_minus_zero_for_zero() -> None:
    assert (
        column([number("-0.0", "double"), number(1)]).sha256()
        == column([number(0), number(1)]).sha256()
    )


@pytest.mark.parametrize(
    "rows",
    [
        [
            (1, {"n": number(1), "m": number(2)}),
            (2, {"n": number(3), "m": number("4.000000001", "decimal")}),
        ],
        [(1, {"n": number(1), "m": number(2)}), (3, {"n": number(3), "m": number(4)})],
        [(1, {"n": number(1), "k": number(2)}), (2, {"n": number(3), "k": number(4)})],
        [(1, {"m": number(1), "n": number(2)}), (2, {"m": number(3), "n": number(4)})],
        [(1, {"n": number(1), "m": number(2)})],
        [(1, {"n": number(3), "m": number(4)}), (2, {"n": number(1), "m": number(2)})],
    ],
    ids=["value", "id", "name", "order", "fewer", "swapped"],
)
def test_sha256_changes_with_the_table(rows: list[tuple[object, Cells]]) -> None:
    assert build(*rows).sha256() != build(*BASE).sha256()


def test_take_keeps_the_order_asked_for_and_scales_anew() -> None:
    vectors = column([number(1), number(2), number(4), number(8)])
    part = vectors.take(np.array([2, 0]))
    assert (short(part), part.raw.tolist(), part.matrix.tolist()) == (
        ["2", "0"],
        [[4], [1]],
        [[1.0], [0.25]],
    )
    assert vectors.matrix.tolist() == [[0.125], [0.25], [0.5], [1.0]]


def test_take_keeps_the_rule_of_scaling() -> None:
    part = column([number(1), number(2), number(3)], scaling="minmax").take(np.array([1, 2]))
    assert (part.scaling, part.matrix.tolist()) == ("minmax", [[0.0], [1.0]])


def test_distinct_counts_different_vectors() -> None:
    vectors = column([number(value) for value in (1, 2, 1, 3, 2)])
    assert vectors.distinct() == 3
    assert vectors.distinct(np.array([0, 2])) == 1


def test_length_is_the_number_of_questions() -> None:
    assert len(build(*HOLES)) == 2


def test_frame_has_raw_or_scaled_values() -> None:
    vectors = build(*BASE)
    raw, scaled = vectors.to_frame(), vectors.to_frame(scaled=True)
    assert (list(raw.index), raw.index.name, list(raw.columns)) == (
        [f"{Q}1", f"{Q}2"],
        "iri",
        ["n", "m"],
    )
    assert raw.to_numpy().tolist() == [[1, 2], [3, 4]]
    assert scaled.to_numpy().tolist() == [[1 / 3, 0.5], [1, 1]]


def test_spread_is_of_raw_and_scaled_values() -> None:
    spread = build(*BASE).spread()
    assert list(spread.index) == ["n", "m"]
    assert spread["max"].tolist() == [3, 4]
    assert spread["scaled_median"].tolist() == pytest.approx([2 / 3, 0.75])


def test_ids_with_numbers_of_any_length_are_sorted_by_them() -> None:
    long = "q" + "9" * 5000
    assert sorted(["q10", long, "q9", "q01", "q1"], key=natural_key) == [
        "q01",
        "q1",
        "q9",
        "q10",
        long,
    ]
