"""A random field that finds names in English questions.

A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001) decides for each word
whether it begins a name, goes on with one, or is outside, from the word, its neighbours, its
letters, how it is usually written (`data/word_case.tsv`), and what a spaCy model says, if there is
one. Its weights (`data/name_weights.tsv`) are learnt by `benchmarks/train_names.py` from questions
with and without capitals.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from qaldgen.io.packages import data_rows

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: Runs of letters or digits; any other character is a token by itself.
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_MARKS = frozenset('"“”„«»')
#: Outside a name, its first token, a later one: the states of the random field.
OUTSIDE, BEGIN, INSIDE = 0, 1, 2
#: The score of a move that no name makes.
_IMPOSSIBLE = -(10**9)


def name_spans(text: str, doc: Doc | None) -> list[tuple[int, int]]:
    """Return the start and the end of each name in a text; `doc` is the text, parsed by a model."""
    tokens = tokens_of(text)
    states = best_states(list(name_signals(tokens, doc, weights())), weights())
    spans = list[tuple[int, int]]()
    for token, state in zip(tokens, states, strict=True):
        if state == BEGIN:
            spans.append((token.start, token.end))
        elif state == INSIDE:
            spans[-1] = (spans[-1][0], token.end)
    return spans


class Token(NamedTuple):
    """A word, a number or a mark of a question, and its offsets in the text."""

    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a text."""
    return [Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]


class FieldWeights(NamedTuple):
    """The weights of the random field."""

    #: By signal, the weights for the first word of a name and for a later one.
    signals: Mapping[str, tuple[int, int]]
    #: From one state to the next; the row -1 is the start of a text.
    moves: Mapping[int, tuple[int, int, int]]


@functools.cache
def weights() -> FieldWeights:
    """Return the weights, in hundredths."""
    by_signal = dict[str, tuple[int, int]]()
    moves = dict[int, tuple[int, int, int]]()
    for name, *numbers in data_rows("features/text/data/name_weights.tsv"):
        if name.startswith("> "):
            outside, begin, inside = map(int, numbers)
            moves[int(name[2:])] = outside, begin, inside
        else:
            by_signal[name] = int(numbers[0]), int(numbers[1])
    return FieldWeights(by_signal, moves)


@functools.cache
def word_case() -> Mapping[str, str]:
    """Return for common words how they are usually written: from -5, small, to 5, with a capital.

    The difference of the logarithms of how often texts on the web write them so.
    """
    rows = data_rows("features/text/data/word_case.tsv")
    levels: dict[str, str] = {}
    for level, words in rows:
        levels |= dict.fromkeys(words.split(" "), level)
    return levels


def name_signals(
    tokens: Sequence[Token], doc: Doc | None, field: FieldWeights
) -> Iterator[list[str]]:
    """Yield the signals of each token; a word without a weight is replaced by its last letters."""
    words = [token.text for token in tokens]
    small_words = [word.lower() for word in words]
    first_word = next((index for index, word in enumerate(words) if word.isalpha()), 0)

    # how the text is written: M with capitals inside, S with one at the start only, L small
    style = "L"
    if any(word != word.lower() and len(word) > 1 for word in words[first_word + 1 :]):
        style = "M"
    elif words and words[first_word][0].isupper():
        style = "S"

    case_by_word = word_case()
    # two marks on either side, for the neighbours of the first and the last words
    cases = [case_by_word.get(word, "?") for word in small_words]
    cases = ["s", "s", *cases, "s", "s"]
    shapes = [_shape(word, is_first=index == first_word) for index, word in enumerate(words)]
    shapes = ["<s>", "<s>", *shapes, "<s>", "<s>"]
    forms = [_lexical_form(word, field) for word in small_words]
    forms = ["<s>", "<s>", *forms, "<s>", "<s>"]

    marks = _quotation_signals(words)
    model_labels = list[tuple[str, str]]()
    if doc is not None:
        model_labels = [*_model_signals(tokens, doc), ("<s>", "<s>")]

    for index in range(len(tokens)):
        # the names of signals begin with: w word, c case, s shape; l left of it, r right of it
        ll, left, form, right, rr = forms[index : index + 5]
        left_case, case, right_case = cases[index + 1 : index + 4]
        left_shape, shape, right_shape, farther_shape = shapes[index + 1 : index + 5]
        mark = marks[index]
        is_joined = index > 0 and tokens[index - 1].end == tokens[index].start
        is_last = index == len(tokens) - 1

        names = [
            "b", f"w{form}", f"s{style}{shape}", f"c{case}{style}",
            f"cs{case}{style}{shape}{mark}", f"l{left}", f"r{right}", f"ll{ll} {left}",
            f"rr{right} {rr}", f"lw{left} {form}", f"wr{form} {right}",
            f"lc{left_case} {case}{style}", f"rc{case} {right_case}{style}",
            f"lcr{left_case} {case} {right_case}{style}", f"wl{left} {case}{style}",
            f"wrc{right} {case}{style}", f"ls{style}{left_shape}{shape}",
            f"rs{shape}{style}{right_shape}", f"lsr{style}{left_shape}{shape}{right_shape}",
            f"rss{shape}{style}{right_shape}{farther_shape}", f"ws{form}{style}{shape}",
            f"lws{left}{style}{shape}", f"rws{form}{style}{right_shape}",
            f"lsw{style}{left_shape}{form}", f"g{is_joined:d}{form}", f"q{mark}{style}",
            f"e{is_last:d}", f"pos{min(index, 3)}{style}", f"l2{ll}", f"r2{rr}",
            f"l2c{ll}{left_case}{case}",
        ]  # fmt: skip

        word = small_words[index]
        if len(word) > 3 and words[index].isalpha():
            names += [f"p{word[:3]}", f"u{word[-3:]}"]

        if model_labels:
            left_tag, left_entity = model_labels[index - 1]
            tag, entity = model_labels[index]
            right_tag, right_entity = model_labels[index + 1]
            names += [
                f"t{tag}{style}", f"en{entity}{style}", f"tt{left_tag}{tag}",
                f"tr{tag}{right_tag}", f"ttt{left_tag}{tag}{right_tag}",
                f"el{left_entity}{entity}", f"er{entity}{right_entity}", f"tc{tag}{case}",
                f"ec{entity}{case}{shape}", f"ew{entity}{form}",
            ]  # fmt: skip

        yield names


def _lexical_form(word: str, field: FieldWeights) -> str:
    """Return a lower-case word if it has a weight, else a sign for its last letters or a number."""
    if f"w{word}" in field.signals or not word.isalnum():
        return word
    if word.isdigit():
        return "<0>"
    return f"<{word[-2:]}>"


def _quotation_signals(words: Sequence[str]) -> list[str]:
    """Return for each word whether it is a quotation mark (q), between two (i), or neither (-)."""
    marks = []
    state = "-"
    for word in words:
        if word in _MARKS:
            state = "-" if state == "i" else "i"
            marks.append("q")
        else:
            marks.append(state)
    return marks


def _model_signals(tokens: Sequence[Token], doc: Doc) -> list[tuple[str, str]]:
    """Return for each token the tag and the entity that a model gives it."""
    by_offset = {}
    for parsed in doc:
        entity = "O"
        if parsed.ent_type_:
            entity = parsed.ent_iob_ + parsed.ent_type_
        for offset in range(parsed.idx, parsed.idx + len(parsed)):
            by_offset[offset] = parsed.tag_, entity
    return [by_offset.get(token.start, ("-", "O")) for token in tokens]


def _shape(word: str, *, is_first: bool) -> str:
    """Return how a token is written: digits, mark, lower case, capitals, initial capital, mixed."""
    if not word.isalpha():
        if not word.isdigit():
            return "p"
        return f"d{min(len(word), 5)}"
    if word.islower():
        return "x"
    if word.isupper() and len(word) > 1:
        return "XX"
    if word[0].isupper() and word[1:] == word[1:].lower():
        return "Xf" if is_first else "X"
    return "xX"


def best_states(signals: Sequence[Sequence[str]], field: FieldWeights) -> list[int]:
    """Return the most likely states of tokens by their signals (Viterbi); ties go to outside."""
    if not signals:
        return []

    scores = list(field.moves[-1])
    scores[INSIDE] = _IMPOSSIBLE
    backpointers = list[list[int]]()

    for index, token_signals in enumerate(signals):
        begin = inside = 0
        for name in token_signals:
            for_begin, for_inside = field.signals.get(name, (0, 0))
            begin += for_begin
            inside += for_inside

        if index:
            rows = []  # for each state the scores by the state before it
            for state in (OUTSIDE, BEGIN, INSIDE):
                rows.append([scores[before] + field.moves[before][state] for before in range(3)])
            rows[INSIDE][OUTSIDE] = _IMPOSSIBLE
            backpointers.append([row.index(max(row)) for row in rows])
            scores = [max(row) for row in rows]

        scores[BEGIN] += begin
        scores[INSIDE] += inside

    states = [scores.index(max(scores))]
    for pointers in reversed(backpointers):
        states.append(pointers[states[-1]])
    return states[::-1]
