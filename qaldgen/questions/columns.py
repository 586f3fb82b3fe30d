"""Decide what each column of a table, or field of records, holds: by its name, else its values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import few_and_more
from qaldgen.model import CHOSEN_BY
from qaldgen.questions.answer_objects import holds_answers
from qaldgen.questions.column_values import MIN_AGREEMENT, Table
from qaldgen.questions.fields import (
    ROLE_NAMES,
    choice_mark,
    has_role,
    is_prediction_name,
    is_system_name,
    is_wrong_answer,
    may_be_id,
    normalize_name,
    question_language,
    without_number,
)
from qaldgen.questions.system_columns import answers_of_systems

#: A column with longer values holds passages, and is not kept as metadata.
_LONGEST = 1000
#: Metadata that other parts use: the ids of the passages that answer a question, and the systems
#: whose low scores chose it.
_USED_ELSEWHERE = frozenset({"relevant_passages", CHOSEN_BY})
#: Columns that a note lists.
_NAMED = 50
#: The names of row numbers in tables written by pandas.
ROW_NUMBERS = frozenset({"", "unnamed0"})
_GRAPHS = ("wikidata", "dbpedia", "freebase")
#: Names that need no note: those of our own tables, and ``answer``.
_OURS = frozenset({
    "id", "text", "question", "language", "sparql", "answers", "answer", "answer_type", "split",
    "origin",
})  # fmt: skip
#: Kinds of columns with one value per question.
ONE_VALUE = ("id", "language", "type", "split", "origin", "impossible", "answerable")
#: The marks of choices in their order.
_MARKS = "0123456789 ABCDEFGH"


class ChosenFields(NamedTuple):
    """Which fields hold what, where the user says so."""

    gold: str = ""  # the field with the gold answers
    answers: tuple[str, ...] = ()  # the field of each system with its answers

    def check(self, names: Sequence[str]) -> None:
        """Refuse a field that the records do not have."""
        options = {self.gold: "gold_field"} | dict.fromkeys(self.answers, "answer_field")
        for name, option in options.items():
            if name and name not in names:
                raise UsageError(
                    f"there is no field {name!r} for `{option}`; the fields are"
                    f" {', '.join(map(repr, names))}"
                )

    def systems(self) -> dict[str, tuple[str, ...]]:
        """Return the columns with the answers of each system; "" for the only one."""
        if len(self.answers) == 1:
            return {"": self.answers}
        return {name: (name,) for name in self.answers}


NOTHING_CHOSEN = ChosenFields()


class Columns(NamedTuple):
    """The columns by their content; an empty tuple or name for a column that is missing."""

    #: Columns with the question; the first one that a record fills counts.
    question: tuple[str, ...] = ()
    #: Column to language, for translations in columns of their own.
    translations: Mapping[str, str] = {}
    wordings: tuple[str, ...] = ()  # columns with paraphrases of the question
    #: Column to knowledge graph; empty if its name does not state it.
    queries: Mapping[str, str] = {}
    #: Columns with the gold answers; the first one that a record fills counts.
    gold: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()  # columns with further names of the answer
    #: System to the columns with its answers; "" for the one that none names.
    systems: Mapping[str, tuple[str, ...]] = {}
    choices: tuple[str, ...] = ()  # one column with all choices, or one column per choice
    #: Kind of content, of `ONE_VALUE`, to the column with that value.
    one: Mapping[str, str] = {}
    #: Columns that are not kept as metadata: those in use, copies of the gold, and long texts.
    ours: frozenset[str] = frozenset()
    long: frozenset[str] = frozenset()  # columns with long texts, such as passages
    notes: tuple[str, ...] = ()  # what a user should know
    yes_no: tuple[str, ...] = ()  # columns of a run with yes or no, in place of an answer in words


def find_columns(
    rows: Sequence[object], chosen_fields: ChosenFields = NOTHING_CHOSEN, names: Iterable[str] = ()
) -> Columns | None:
    """Return what the columns of some records hold; None if none of them holds questions.

    Columns that no record fills are found only if they are in `names`.
    """
    table = Table(rows, names)
    chosen_fields._replace(answers=()).check(table.names)
    # the answers of systems may stand in another file
    chosen_fields = chosen_fields._replace(
        answers=tuple(
            name
            for name in chosen_fields.answers
            if name in table.names and name != chosen_fields.gold
        )
    )
    queries = _queries(table)
    languages = {name: question_language(name) for name in table.names if table.values[name]}
    translations = {name: tag for name, tag in languages.items() if tag}
    question = tuple(
        name for name in _question(table, queries, chosen_fields.gold) if name not in translations
    )
    if not question and not translations:
        return None
    # each column is read once: what one step claims, later ones no longer see
    used = {*question, *translations, *queries}
    wordings = tuple(table.named("wordings", besides=used))
    used |= {*wordings, *chosen_fields.answers}
    says_gold = table.gold(used)
    gold, choices = _gold_and_choices(table, question, says_gold, chosen_fields.gold, used)
    # without gold, predictions make it a run
    if not (gold or queries) and any(map(is_prediction_name, table.names)):
        return None
    used |= {*gold, *choices}
    if choices and gold:
        used |= {*table.named("choice", besides=used)}
    variants = _variants(table, gold, used)
    used |= {*variants}
    one = _single_columns(table, used)
    used |= {*one.values()}
    systems = chosen_fields.systems()
    if not systems:
        is_explicit = any(name in (chosen_fields.gold, *says_gold) for name in gold[:1])
        systems = _systems(table, gold, used, explicit=is_explicit)
    columns = Columns(
        question, translations, wordings, queries, gold, variants, systems, choices, one
    )
    return _with_rest(table, columns, used)


def _queries(table: Table) -> dict[str, str]:
    """Return the columns with SPARQL queries, with the knowledge graph that each name states."""
    names = table.named("sparql")
    # a name that may be that of a query is judged by its values
    names += filter(table.holds_sparql, table.named("maybe sparql", besides=names))
    return {
        name: next((graph for graph in _GRAPHS if graph in normalize_name(name)), "")
        for name in names
    }


def _gold_and_choices(
    table: Table,
    question: Sequence[str],
    says_gold: Sequence[str],
    chosen_gold: str,
    used: Collection[str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns with the gold answers, and those with the choices of the questions."""
    candidates = [*says_gold, *table.named("answer", besides={*says_gold, *used})]
    if not candidates:
        candidates = table.numbered("gold", "answer", "annotator", besides=used)[:1]
    candidates = [name for name in candidates if any(map(holds_answers, table.values[name]))]
    options, right = _options(table, used)
    if chosen_gold:
        gold: tuple[str, ...] = (chosen_gold,)
    elif options:
        gold = (right,)
    else:
        gold = table.with_complements(candidates[:1], candidates)
    choices = (options,) if options else _choices(table, {*used, *gold})
    if not gold:
        # a column "label" is gold only where there are choices that it can name
        questions = chain.from_iterable(table.values[name] for name in question)
        are_inside = any(isinstance(value, dict) and "choices" in value for value in questions)
        if choices or are_inside:
            gold = tuple(table.named("choice", besides=used)[:1])
    return gold, choices


def _variants(table: Table, gold: Sequence[str], used: Collection[str]) -> tuple[str, ...]:
    """Return the columns with further names of the gold answer."""
    kinds_of_gold = {without_number(name) for name in gold}
    names = table.named("variants", "maybe variants", besides=used)
    for name in table.numbered("gold", "answer", "annotator", besides=used):
        if without_number(name) in kinds_of_gold:  # answer_2 behind answer_1
            names.append(name)
    return tuple(
        name
        for name in names
        if any(map(holds_answers, table.values[name])) and not table.offers(name, gold)
    )


def _systems(
    table: Table, gold: Sequence[str], used: Collection[str], *, explicit: bool
) -> dict[str, tuple[str, ...]]:
    """Return the columns with answers of systems beside gold answers.

    An ``answer`` is a system's only where another column is explicitly gold; so is a column of
    another name if it agrees with the gold here and there.
    """
    rather_gold = {*ROLE_NAMES["candidates"], *ROLE_NAMES["answer"]} - {*ROLE_NAMES["prediction"]}
    if explicit:
        rather_gold -= {*ROLE_NAMES["bare answer"]}
    remaining = [
        name for name in table.others(used, gold) if without_number(name) not in rather_gold
    ]
    systems = answers_of_systems(remaining)
    system_columns = {*chain.from_iterable(systems.values())}
    if not any(table.values[name] for name in system_columns):
        systems, system_columns = {}, set()
    if explicit and "" not in systems:
        remaining = [name for name in remaining if name not in system_columns]
        systems |= {name: (name,) for name in table.alike(remaining, gold)}
    return systems


def find_answers(
    rows: Sequence[object],
    chosen_fields: ChosenFields = NOTHING_CHOSEN,
    names: Iterable[str] = (),
    repeated: Collection[str] = (),
) -> Columns:
    """Return which columns of a run hold the answers of systems, and which the gold.

    Columns that are `repeated` say what the gold says of every question: beside another that says
    it here and there, they are the gold.

    >>> rows = [{"id": "1", "truth": "Ulm", "answer": "Bonn"}]
    >>> find_answers(rows).systems, find_answers(rows).gold
    ({'': ('answer',)}, ('truth',))
    """
    table = Table(rows, names)
    chosen_fields.check(table.names)
    yes_no = tuple(name for name in table.names if has_role(name, "prediction yes or no"))
    gold = [chosen_fields.gold] if chosen_fields.gold else table.gold()
    remaining = table.others({*gold, *yes_no}, gold)
    unrepeated = [name for name in remaining if name not in repeated]
    systems = chosen_fields.systems()
    if not systems and len(unrepeated) < len(remaining):
        same = [name for name in remaining if name in repeated]
        systems = answers_of_systems(
            name for name in unrepeated if is_prediction_name(name) or has_role(name, "candidates")
        )
        if not systems:
            agreeing = [name for name in unrepeated if table.agreement(name, same) >= MIN_AGREEMENT]
            systems = {name: (name,) for name in agreeing}
        if systems:
            gold, remaining = [*gold, *same], unrepeated
    systems = systems or answers_of_systems(remaining)
    bare = [name for name in remaining if has_role(name, "bare answer")]
    system_columns = {*chain.from_iterable(systems.values())}
    gold = gold or [name for name in bare if name not in system_columns]
    if not chosen_fields.answers and ("" not in systems or {*bare} & system_columns):
        alike = table.alike(
            [name for name in remaining if name not in system_columns], gold or bare
        )
        if alike and not gold:
            raise DataError(
                f"{bare[0]!r} may be the gold or the system's, and {alike[0]!r} too; say which with"
                " `gold_field` or `answer_field`"
            )
        if "" not in systems:
            systems = {**systems, **{name: (name,) for name in alike}}
    if yes_no and not systems:
        systems = {"": yes_no}
    return Columns(gold=tuple(gold), systems=systems, yes_no=yes_no)


def _question(table: Table, queries: Collection[str], chosen_gold: str) -> tuple[str, ...]:
    """Return the columns with the questions.

    A general name such as ``input`` counts only beside a column with answers or queries.
    """
    telling_names = table.named("question", besides=queries)
    names = telling_names or table.named("maybe question", "transcript", besides=queries)
    # a telling name wins over a general one, whatever the values
    if not telling_names and not queries and not chosen_gold:
        gold = (*table.gold(names), *table.named("answer", besides=names))
        answers = (*gold, *table.named("choice", besides=names))
        if not any(table.values[name] for name in answers):  # the texts have to look like questions
            names = [name for name in names if table.holds_questions(name)]
    most = max((len(table.values[name]) for name in names), default=0)
    # a half-empty or constant column, such as an instruction, is a by-product, whatever its name
    telling = [
        name
        for name in names
        if 2 * len(table.values[name]) >= most and not table.is_constant(name)
    ]
    return table.with_complements((telling or names)[:1], telling_names)


def _options(table: Table, used: Collection[str]) -> tuple[str, str]:
    """Return the column whose answers are choices, and the one that says which is right; or blanks.

    So do numbers in a column with a name of answers, and texts in one with a name of choices.
    """
    for options in table.named("answer", besides=used):
        used_too = {*used, options}
        for right in table.named("choice", "gold", "answer", besides=used_too):
            if table.points_to(right, options, texts=has_role(right, "choice")):
                return options, right
    return "", ""


def _choices(table: Table, used: Collection[str]) -> tuple[str, ...]:
    """Return the column with the choices, or two or more columns with one choice each."""
    for name in table.named("choices", besides=used):
        if any(table.values[name]):
            return (name,)
    marked = {choice_mark(name): name for name in table.names if name not in used}
    marked.pop("", None)
    marks = "".join(sorted(marked))
    # a table with columns A and C, but no B, has no choices
    if len(marks) < 2 or marks[0] not in "01A" or marks not in _MARKS:
        return ()
    return tuple(marked[mark] for mark in marks)


def _single_columns(table: Table, used: set[str]) -> dict[str, str]:
    """Return the columns with one value per question; pandas' row numbers count as ids."""
    columns: dict[str, str] = {}
    for kind in ONE_VALUE:
        for name in table.named(kind, besides={*used, *columns.values()}):
            if table.has_scalars(name):
                columns[kind] = name
                break
    if "id" in columns:
        return columns
    for name in table.names:
        if name in used or name in columns.values():
            continue
        if may_be_id(name) and table.is_key(name):
            return {**columns, "id": name}
    return columns


def _with_rest(table: Table, columns: Columns, used: set[str]) -> Columns:
    """Return the columns with the fate of the unused ones, and notes about them."""
    unused = [
        name
        for name in table.names
        if name not in used and any(value not in ([], {}) for value in table.values[name])
    ]
    # a copy of the gold is not metadata
    golds = [table.values[name] for name in columns.gold[:1]]
    same = {name for name in unused if table.values[name] in golds}
    long = frozenset(
        name
        for name in unused
        if name not in _USED_ELSEWHERE
        if any(isinstance(value, str) and len(value) > _LONGEST for value in table.values[name])
    )
    # `runs` reads the answers of systems; pandas writes row numbers without a name
    answers = {*chain.from_iterable(columns.systems.values())}
    flat = [name for name in unused if name not in {*same, *long} and table.is_flat(name)]
    named_elsewhere = {"", *answers, *_USED_ELSEWHERE}
    strange = [
        repr(name) for name in flat if name not in named_elsewhere and not is_wrong_answer(name)
    ]
    notes = list(_how_understood(columns))
    if strange:
        notes.append(f"features under their own names: {few_and_more(strange, _NAMED)}")
    ours = frozenset({*used, *same, *long, *(answers - {*flat})})
    return columns._replace(ours=ours, long=long - answers, notes=tuple(notes))


def _how_understood(understood: Columns) -> Iterator[str]:
    """Yield how the columns were understood, unless they have the names of our own tables."""
    id_ = understood.one.get("id", "")
    if normalize_name(id_) in ROW_NUMBERS:
        id_ = ""
    answers = [*chain.from_iterable(understood.systems.values())]
    parts = {
        "the id": (id_,),
        "the question": (*understood.question, *understood.translations, *understood.wordings),
        "the query": tuple(understood.queries),
        "the gold answers": understood.gold,
        "further names of the gold answer": understood.variants,
        "the choices": understood.choices,
        "answers of systems": tuple(name for name in answers if not is_system_name(name)),
        "what may be answers of systems": tuple(filter(is_system_name, answers)),
    }
    parts_read = []
    for part, columns in parts.items():
        names = [name for name in columns if name]
        if any(name.lower() not in _OURS for name in names):
            joint = " and " if len(names) < 3 else ", "
            parts_read.append(f"{part} from {joint.join(map(repr, names))}")
    if parts_read:
        yield f"reads {', '.join(parts_read)}"
