"""What a terminal would obey is shown instead."""

from __future__ import annotations

import io
import json
import sys
import unicodedata

import pandas as pd
import pytest

from qaldgen.io import terminal
from qaldgen.io.terminal import escape_line, escape_text, guard_streams, unguarded_stderr
from qaldgen.reports.tables.latex import escape
from qaldgen.reports.tables.results import cell, dump_frame, markdown

COMMANDS = [
    "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\r", "\x08", "\x00", "\x7f", "\x85", "\u202e",
    "\u2066", "\u200f", "\u061c",
    "\u2028", "\udc80",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=[ascii(command) for command in COMMANDS])
def test_commands_are_shown(command: str) -> None:
    shown = escape_text(f"a{command}b")
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == f"a{command}b"


def test_no_control_or_bidirectional_character_is_left() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    left = escape_text(every)
    bad = {
        c
        for c in left
        if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(c) in BIDI
    }
    assert bad == {"\n", "\t"}
    assert escape_line("a\nb\tc") == "a\\u000ab\\u0009c"


BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.parametrize("text", ["", "Łódź", "東京 😀", "ما هي", "नमस्ते", "a\u200db", "x\ty\nz"])
def test_text_stays(text: str) -> None:
    assert escape_text(text) == text


def guarded(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Guard new streams, and return what arrives there.

    No fixture, since pytest sets streams of its own between them.
    """
    arrived = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(arrived, "ascii"))
    guard_streams()
    return arrived


def test_guarded_stream_shows_commands_and_takes_every_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = guarded(monkeypatch)
    assert sys.stdout.write("é\x1b[2J\udcff\n") == 7
    assert stream.getvalue() == "é\\u001b[2J\\udcff\n".encode()


def test_bytes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = guarded(monkeypatch)
    sys.stdout.buffer.write(b"\x1b[2J")
    assert stream.getvalue() == b"\x1b[2J"


def test_guarding_twice_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    guarded(monkeypatch)
    before = sys.stdout
    guard_streams()
    assert sys.stdout is before


def test_bar_may_move_the_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = guarded(monkeypatch)
    plain = unguarded_stderr()
    assert plain is not None
    plain.write("\x1b[?25l")
    plain.flush()
    assert stream.getvalue() == b"\x1b[?25l"


def test_streams_that_are_none_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    guard_streams()
    assert terminal.unguarded_stderr() is None


HOSTILE = pd.DataFrame(
    {"system\x1b[2J": ["\x1b]0;x\x07", "\u202etxt", "two\nlines\r", "\udcff"], "n": [1, 2, 3, 4]},
    dtype=object,  # text columns refuse half a surrogate pair where pyarrow is installed
)


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_tables_for_people_have_one_line_a_row_and_no_command(form: str) -> None:
    dumped = dump_frame(HOSTILE, form)
    lines = dumped.splitlines()
    assert all(line.isprintable() for line in lines)
    assert len([line for line in lines if "two lines" in line]) == 1
    assert "u001b" in dumped


def test_tables_for_programs_keep_their_content() -> None:
    assert [row["system\x1b[2J"] for row in json.loads(dump_frame(HOSTILE, "json"))] == HOSTILE[
        "system\x1b[2J"
    ].tolist()
    assert "\x1b]0;x\x07" in dump_frame(HOSTILE, "csv")


def test_markdown_of_data_is_text() -> None:
    for text, shown in [
        ("a_1", "a_1"),
        ("_a_", r"\_a\_"),
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\\\|b"),
        ("[a](http://x.org)", r"[a\](http://x.org)"),
        ("![a][b]", r"![a\][b]"),
        ("0.4 [0.3, 0.5]", "0.4 [0.3, 0.5]"),
        ("<img src=x>", "&lt;img src=x>"),
        ("&lt;b>", "&amp;lt;b>"),
        ("R&D", "R&D"),
        ("`a` *b* ~c~ $d$", r"\`a\` \*b\* \~c\~ \$d\$"),
    ]:
        assert markdown(text) == shown


def test_latex_of_data_is_text() -> None:
    assert (
        escape(escape_line("\\input{x}\n%$\x1b"))
        == r"\textbackslash{}input\{x\}\textbackslash{}u000a\%\$\textbackslash{}u001b"
    )


def test_a_number_that_is_shown_as_zero_has_no_sign() -> None:
    assert [cell(value) for value in (-0.00001, -0.0, -0.0001)] == ["0.0000", "0.0000", "-0.0001"]
