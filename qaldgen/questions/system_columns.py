"""Find the columns with answers of systems by their names, and the names of the systems."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from qaldgen.questions.fields import (
    ANSWERS_ABROAD,
    GOLD_ROLES,
    NAME_WORDS,
    PREDICTION_ROLES,
    ROLE_NAMES,
    alternatives,
    has_no_role,
    has_role,
    is_prediction_name,
    may_hold_systems,
    normalize_name,
    without_number,
)

_PREDICTION_NAMES = (*ROLE_NAMES["prediction"], *ROLE_NAMES["prediction yes or no"])
#: Other names for the answers of a run, each of which counts only if it has no earlier one.
_OTHER_ANSWERS = [
    ROLE_NAMES["bare answer"], ROLE_NAMES["candidates"], *([name] for name in ROLE_NAMES["answer"]),
    ROLE_NAMES["transcript"],
]  # fmt: skip
_ANSWER_WORDS = "(?:answer|output|response|prediction|predicted|pred|generation|completion|reply)s?"
#: Normalized names of columns with the answers of a system: ``GPT-3 output``, ``answer_llama``.
_SYSTEM_COLUMN = re.compile(
    rf"(?!predicates?$)(?!{_ANSWER_WORDS}(?:{alternatives(NAME_WORDS['beside'])})$)"
    rf"(?:.+{_ANSWER_WORDS}|{_ANSWER_WORDS}[a-z].*)"
)
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Last words of names of systems, such as "Graph RAG".
_SYSTEM_TYPES = frozenset(["rag", "llm", "chatbot"])
#: Systems that are called by a letter or a number.
_NUMBERED_SYSTEM = re.compile(r"(?:model|system|sys|llm|bot|agent|team|run)(?:[a-h]|[0-9]{1,2})")


def _beside_system(words: str) -> re.Pattern[str]:
    """Return the pattern of separate words before or after the name of a system."""
    before = rf"^(?:{words})(?:\s+(?:by|of|von|de|di|fra|från|van|od))?[\W_]+(?=\w)"
    return re.compile(rf"{before}|(?<=\w)[\W_]+(?:{words})$", re.IGNORECASE)


_BESIDE_SYSTEM = _beside_system(f"{_ANSWER_WORDS}|{ANSWERS_ABROAD}")
_BESIDE_SYSTEM_ABROAD = _beside_system(ANSWERS_ABROAD)


@functools.lru_cache(maxsize=4096)
def is_system_name(name: str) -> bool:
    """Return whether the name of a column names the system whose answers it holds.

    >>> names = ("GPT-3 output", "answer_llama", "Response by X", "gold answer", "answer_time")
    >>> [is_system_name(name) for name in names]
    [True, True, True, False, False]
    """
    if not has_no_role(name):
        return False
    words = re.findall(r"[^\W_]+", _CAMEL_CASE.sub(" ", name).casefold()) or [""]
    if words[0] in NAME_WORDS["number or part"] or words[-1] in NAME_WORDS["beside"]:
        return False
    beginnings = {"".join(words[:number]) for number in (1, 2)}  # ground_truth is one word
    if not beginnings.isdisjoint(NAME_WORDS["gold word"]):
        return False
    if not (_SYSTEM_COLUMN.fullmatch(normalize_name(name)) or _BESIDE_SYSTEM_ABROAD.search(name)):
        return False
    return not system_in_name(name).isdecimal()


def may_hold_answers(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or those of a system."""
    return has_role(name, "answer", *GOLD_ROLES, *PREDICTION_ROLES) or is_system_name(name)


def system_in_name(name: str) -> str:
    """Return the system that is named in the name of a column with its answers.

    >>> [system_in_name(name) for name in ("GPT-3 output", "answer_llama", "Antwort GPT-4")]
    ['GPT-3', 'llama', 'GPT-4']
    """
    return _BESIDE_SYSTEM.sub("", name).strip() or name


def is_model_name(name: str) -> bool:
    """Return whether the name of a column is that of a language model, perhaps with its version.

    >>> [is_model_name(name) for name in ("gpt-4o", "Flan_T5_xl", "llama2", "gpt score", "level")]
    [True, True, True, False, False]
    >>> is_model_name("meta-llama/Llama-3.1-8B")  # behind its organisation
    True
    """
    if _NUMBERED_SYSTEM.fullmatch(normalize_name(name)):
        return True
    words = re.findall(r"[^\W_]+", name.rpartition("/")[2].casefold())
    if not words or any(word in NAME_WORDS["beside"] for word in words[1:]):
        return False
    if len(words) > 1 and words[-1] in _SYSTEM_TYPES:
        return True
    family = re.sub(r"\d.*", "", words[0])
    return words[0] in NAME_WORDS["model"] or family in NAME_WORDS["model"]


def answers_of_systems(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns with the answers of each system; "" is a system without a name.

    >>> answers_of_systems(["id", "gold", "Llama output", "answer_gpt"])
    {'Llama': ('Llama output',), 'gpt': ('answer_gpt',)}
    >>> answers_of_systems(["id", "answer", "gpt-4", "flan_t5"])
    {'gpt-4': ('gpt-4',), 'flan_t5': ('flan_t5',)}
    >>> answers_of_systems(["id", "rag_answer", "baseline_answer"])
    {'rag': ('rag_answer',), 'baseline': ('baseline_answer',)}
    """
    names = tuple(names)
    columns = _columns_in_object(names) or _columns_of_kinds(names)
    if not columns and any(map(is_prediction_name, names)):
        return {"": answer_columns(names)}
    columns = columns or {name: system_in_name(name) for name in names if is_system_name(name)}
    others = without_details(names, columns.values())
    models = [name for name in others if has_no_role(name) and is_model_name(name)]
    columns |= {name: name for name in models if name not in columns}
    if len(set(columns.values())) < len(columns):
        columns = {name: name for name in columns}
    if columns:
        return {system: (name,) for name, system in columns.items()}
    columns_of_one = answer_columns(names)
    return {"": columns_of_one} if columns_of_one else {}


def _columns_in_object(names: Iterable[str]) -> dict[str, str]:
    """Return the systems by columns that were the fields of one object with predictions.

    >>> _columns_in_object(["id", "responses.plain", "responses.graph"])
    {'responses.plain': 'plain', 'responses.graph': 'graph'}
    """
    columns = {}
    for name in names:
        outer, _, inner = name.partition(".")
        # one prediction may have parts: response.content, response.usage
        if inner and may_hold_systems(outer) and has_no_role(inner):
            columns[name] = inner
    return columns if len(columns) > 1 else {}


def _columns_of_kinds(names: Sequence[str]) -> dict[str, str]:
    """Return the systems by columns if some are called after kinds: RAG, LLM.

    Other columns belong to them if they have the same words around the name of a system.

    >>> _columns_of_kinds(["rag_answer", "baseline_answer", "topic"])
    {'rag_answer': 'rag', 'baseline_answer': 'baseline'}
    """
    for name in names:
        kind = system_in_name(name)
        if kind == name or kind.casefold() not in _SYSTEM_TYPES:
            continue
        before, _, after = name.rpartition(kind)
        columns = {
            other: system_in_name(other)
            for other in names
            if other.startswith(before) and other.endswith(after)
            if is_prediction_name(other) or is_system_name(other)
        }
        if len(columns) > 1:
            return columns
    return {}


def without_details(names: Iterable[str], systems: Iterable[str]) -> list[str]:
    """Return the columns but those that tell more of a system, which begin with its name.

    >>> without_details(["gpt-4_raw", "llama_raw", "topic"], ["gpt-4"])
    ['llama_raw', 'topic']
    """
    beginnings = tuple(f"{system}{mark}" for system in systems for mark in "_ .")
    return [name for name in names if not name.startswith(beginnings)]


def verdict_names(
    names: Iterable[str], systems: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, str]]:
    """Return by system the columns that are called after it and a verdict, with the verdict.

    If there is a single system, its name may be missing.

    >>> columns = ["GPT-4 correct", "is_correct_t5", "correct"]
    >>> verdict_names(columns, {"GPT-4": ("GPT-4 answer",), "t5": ("t5",)})
    {'GPT-4': {'GPT-4 correct': 'correct'}, 't5': {'is_correct_t5': 'iscorrect'}}
    >>> verdict_names(columns, {"": ("prediction",)})
    {'': {'correct': 'correct'}}
    """
    answered = set(chain.from_iterable(systems.values()))
    columns = {name: normalize_name(name) for name in names if name not in answered}
    found: dict[str, dict[str, str]] = {}
    for system, answers in systems.items():
        verdicts = {}
        own_names = [normalize_name(name) for name in (*answers, system) if name]
        for column, word in columns.items():
            if len(systems) == 1 and has_role(column, "verdict"):
                verdicts[column] = column.rpartition(".")[2]
            for own_name in own_names:
                verdict = word.removeprefix(own_name).removesuffix(own_name)
                if verdict != word and verdict in ROLE_NAMES["verdict"]:
                    verdicts[column] = verdict
        ranks = {
            name: ROLE_NAMES["verdict"].index(normalize_name(verdicts[name])) for name in verdicts
        }
        found[system] = {name: verdicts[name] for name in sorted(verdicts, key=ranks.__getitem__)}
    return found


def answer_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns with known names for the answers of one system.

    >>> answer_columns(["id", "output", "answer", "prediction1", "prediction2"])
    ('prediction1', 'prediction2')
    """
    bases = {name: without_number(name) for name in names}
    predictions = sorted({base for base in bases.values() if is_prediction_name(base)})
    # Only one name counts: "prediction" and "output" of a record are usually the same answer.
    preferred = [name for name in _PREDICTION_NAMES if name in predictions] or predictions
    for names_of_role in (preferred[:1], *_OTHER_ANSWERS):
        columns = tuple(name for name, base in bases.items() if base in names_of_role)
        if columns:
            return columns
    return ()
