"""Errors know where they happened apart from what happened."""

from __future__ import annotations

import pickle
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.questions.records import Fields


def test_places_lead_the_message() -> None:
    assert (
        str(DataError("has no id", where=("a.json", "record 2"))) == "a.json: record 2: has no id"
    )


def test_place_that_is_a_path_leads_the_message() -> None:
    assert str(DataError("is empty", where=Path("a.json"))) == "a.json: is empty"


def test_place_is_left_out_wherever_it_stands() -> None:
    error = DataError("has no id", where=("a.json", "record 2"))
    assert [error.without("a.json"), error.without(Path("a.json"), "record 2")] == [
        "record 2: has no id",
        "has no id",
    ]


def test_words_of_the_message_are_not_taken_for_a_place() -> None:
    assert DataError("a.json: said the server").without("a.json") == "a.json: said the server"


def test_places_survive_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(DataError("is empty", where="a.json")))
    assert (str(error), error.where, error.text) == ("a.json: is empty", ("a.json",), "is empty")


def test_field_knows_file_and_record() -> None:
    error = Fields({"id": []}, ("a.json", "record 2")).error("id", "a string")
    assert (error.where, error.text) == (
        ("a.json", "record 2"),
        "field 'id' is a list; a string is expected",
    )
