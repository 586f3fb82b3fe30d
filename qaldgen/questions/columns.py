"""Decide what each column of a table, or field of records, holds, by its name or its values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UsageError
from qaldgen.io.text import few_and_more, few_quoted
from qaldgen.model import CHOSEN_BY
from qaldgen.questions.answer_objects import holds_answers
from qaldgen.questions.choices import read_choices
from qaldgen.questions.column_values import MIN_AGREEMENT, RecordTable
from qaldgen.questions.fields import (
    ROLE_NAMES,
    choice_mark,
    has_no_role,
    has_role,
    is_gold_name,
    is_prediction_name,
    may_be_id,
    names_system,
    normalize_name,
    question_language,
    without_number,
)
from qaldgen.questions.system_columns import (
    answers_of_systems,
    is_system_name,
    without_details,
)

#: The most characters of metadata; a column with longer values holds passages.
_MAX_CHARS = 1000
#: Metadata with a known meaning: the ids of the passages that answer a question, and the systems
#: whose low scores chose it.
_USED_ELSEWHERE = frozenset({"relevant_passages", CHOSEN_BY})
#: The most columns that a note names.
_MAX_NAMED = 50
#: The names of row numbers in tables written by pandas.
ROW_NUMBERS = frozenset({"", "unnamed0"})
_GRAPHS = ("wikidata", "dbpedia", "freebase")
#: Names that need no note: those of qaldgen's tables, and ``answer``.
_UNREMARKABLE = frozenset({
    "id", "text", "question", "language", "sparql", "answers", "answer", "answer_type", "split",
    "origin",
})  # fmt: skip
#: Roles of columns with one value per question.
SINGLE_VALUED = ("id", "language", "type", "split", "origin", "impossible", "answerable")
#: Roles of columns that say something of the answer of a system.
_BESIDE_ANSWERS = ("status", "error", "seconds", "confidence", "no answer", "answers at all")
#: The letters or digits in the names of columns with choices, in order.
_MARKS = "0123456789 ABCDEFGHIJ"


class ChosenFields(NamedTuple):
    """The fields that a user has chosen."""

    gold: str = ""  # the field with the gold answers
    answers: tuple[str, ...] = ()  # the field of each system with its answers

    def check(self, names: Sequence[str]) -> None:
        """Refuse fields that the records do not have."""
        options = {self.gold: "gold_field"} | dict.fromkeys(self.answers, "answer_field")
        for name, option in options.items():
            if name and name not in names:
                raise UsageError(
                    f"there is no field {name!r} for `{option}`; the fields are"
                    f" {', '.join(map(repr, names))}"
                )

    def systems(self) -> dict[str, tuple[str, ...]]:
        """Return the columns with the answers of each system; a single system is called "".

        >>> ChosenFields(answers=("rag.answer", "plain.answer")).systems()
        {'rag': ('rag.answer',), 'plain': ('plain.answer',)}
        """
        if len(self.answers) == 1:
            return {"": self.answers}
        parts = [name.rpartition(".") for name in self.answers]
        if len({field for *_, field in parts}) == 1:
            return {part[0]: (name,) for part, name in zip(parts, self.answers, strict=True)}
        return {name: (name,) for name in self.answers}


NOTHING_CHOSEN = ChosenFields()


class Columns(NamedTuple):
    """The columns by their content; a tuple or mapping is empty if there is no such column."""

    #: The columns with the question, of which the first with a value counts.
    question: tuple[str, ...] = ()
    #: The languages of columns with translations.
    translations: Mapping[str, str] = {}
    wordings: tuple[str, ...] = ()  # columns with paraphrases of the question
    #: The knowledge graphs of columns with queries; empty if the name does not state it.
    queries: Mapping[str, str] = {}
    #: The columns with the gold answers, of which the first with a value counts.
    gold: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()  # columns with other names of the answer
    #: The columns with the answers of each system; "" is a system without a name.
    systems: Mapping[str, tuple[str, ...]] = {}
    choices: tuple[str, ...] = ()  # one column with all choices, or one column per choice
    #: The columns with one value per question, by their roles in `SINGLE_VALUED`.
    single: Mapping[str, str] = {}
    #: Columns that are not kept as metadata: those in use, copies of the gold, and long texts.
    dropped: frozenset[str] = frozenset()
    long: frozenset[str] = frozenset()  # columns with long texts, such as passages
    notes: tuple[str, ...] = ()  # notes for users
    yes_no: tuple[str, ...] = ()  # columns of a run with yes or no, in place of an answer in words
    #: By system the columns with another evaluator's verdicts, and the names of these verdicts.
    verdicts: Mapping[str, Mapping[str, str]] = {}

    @property
    def hold_questions(self) -> bool:
        """Whether there is a column with questions, in any language."""
        return bool(self.question or self.translations)


def find_columns(
    rows: Sequence[object], chosen_fields: ChosenFields = NOTHING_CHOSEN, names: Iterable[str] = ()
) -> Columns:
    """Return what the columns of some records hold; no columns if none of them holds questions.

    `names` are the columns of the file, if some may have no value in any record.
    """
    table = RecordTable(rows, names)
    chosen_gold = chosen_fields.gold
    chosen_fields._replace(answers=()).check(table.names)
    # the answers of systems may stand in another file
    chosen_answers = ChosenFields(
        answers=tuple(
            name for name in chosen_fields.answers if name in table.names and name != chosen_gold
        )
    )

    # ambiguous names of queries count only if the values are queries
    query_columns = table.columns_named("sparql")
    maybe_queries = table.without(*query_columns).columns_named("maybe sparql")
    query_columns += filter(table.holds_sparql, maybe_queries)
    queries = {}
    for name in query_columns:
        stated_graphs = [graph for graph in _GRAPHS if graph in normalize_name(name)]
        queries[name] = stated_graphs[0] if stated_graphs else ""

    languages = {name: question_language(name) for name in table.names if table.values[name]}
    translations = {name: tag for name, tag in languages.items() if tag}
    question = tuple(
        name for name in _question_columns(table, queries, chosen_gold) if name not in translations
    )
    if not question and not translations:
        return Columns()

    # each column is used once: later steps look in the rest
    beside_questions = table.without(*question, *translations, *queries)
    wordings = tuple(beside_questions.columns_named("wordings"))
    may_be_gold = beside_questions.without(*wordings, *chosen_answers.answers)
    candidates = may_be_gold
    if queries and not chosen_gold:  # the answers to these are hardly "correct" or "failed"
        candidates = may_be_gold.without(*filter(table.has_verdicts_alone, table.names))

    explicit_gold = candidates.gold_columns()
    # columns half of whose values cannot be read come last
    explicit_gold.sort(
        key=lambda name: 2 * sum(map(holds_answers, table.values[name])) <= len(table.values[name])
    )
    in_languages: list[str] = []
    if not explicit_gold:
        tags = set(translations.values())
        in_languages = candidates.columns_in_languages(tags, "gold", "answer")
    gold, choices = _find_gold_and_choices(
        candidates, (*question, *translations), explicit_gold, in_languages, chosen_gold
    )

    # records with predictions and without gold are a run
    if not (gold or queries) and any(map(is_prediction_name, table.names)):
        return Columns()

    beside_gold = may_be_gold.without(*gold, *choices)
    if choices and gold:
        beside_gold = beside_gold.without(*beside_gold.columns_named("choice"))
    variants = _variant_columns(beside_gold, gold)
    variants += tuple(name for name in in_languages if name not in gold)
    beside_answers = beside_gold.without(*variants)
    single = _single_columns(beside_answers, (*question, *translations))
    rest = beside_answers.without(*single.values())

    systems = chosen_answers.systems()
    if not systems:
        is_explicit = any(name in (chosen_gold, *explicit_gold) for name in gold[:1])
        systems = _system_columns(rest, gold, explicit=is_explicit)
        chats = [name for name in question if table.holds_replies(name)]
        if chats and gold and not systems:
            systems = {"": (chats[0],)}
    columns = Columns(
        question, translations, wordings, queries, gold, variants, systems, choices, single
    )
    columns = columns._replace(verdicts=rest.verdict_columns(systems))
    return _with_unused_columns(table, columns, rest.names)


def _find_gold_and_choices(
    table: RecordTable,
    question: Sequence[str],
    explicit_gold: Sequence[str],
    in_languages: Sequence[str],
    chosen_gold: str,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns with the gold answers, and those with the choices of the questions."""
    candidates = _gold_by_name(table, question, explicit_gold, in_languages)
    options, correct_option = _find_options(table)
    if chosen_gold:
        gold: tuple[str, ...] = (chosen_gold,)
    elif options:
        others = [name for name in candidates if name not in options]
        gold = table.with_complements((correct_option,), others)
    else:
        gold = table.with_complements(candidates[:1], candidates)

    choices = options or _choice_columns(table.without(*gold), gold)
    if not choices and any(map(table.marks_choices, gold)):
        choices = gold[:1]
    maybe_gold = [*candidates, *table.columns_named("choice")]
    listing = [] if choices else list(filter(table.lists_choices, question))
    if listing:
        listing.sort(key=lambda name: question_language(name) not in {"", LANGUAGE})
        choices = (listing[0],)
        maybe_gold += table.columns_named("choices")

    if choices and not (options or chosen_gold):
        # a column with choices is gold rather than one with other texts: a source, an output
        maybe_gold.sort(key=is_prediction_name)
        maybe_gold = [name for name in maybe_gold if table.refers_to_choices(name, choices)]
        gold = table.with_complements(maybe_gold[:1], candidates) if maybe_gold else gold
    if not gold:
        # a column such as "label" is gold only if there are choices that it can refer to
        questions = chain.from_iterable(table.values[name] for name in question)
        if choices or any(isinstance(value, dict) and "choices" in value for value in questions):
            gold = tuple(table.columns_named("choice")[:1])
    return gold, choices


def _gold_by_name(
    table: RecordTable,
    question: Sequence[str],
    explicit_gold: Sequence[str],
    in_languages: Sequence[str],
) -> list[str]:
    """Return the columns that may be gold by their names, the surest first.

    Behind explicit gold comes what is called an answer. Without either, it is the answer in the
    languages of the questions, the first of numbered ones, one that is called like the question
    (``original_answer``), or ``a``.
    """
    answers = table.without(*explicit_gold).columns_named("answer")
    answers.sort(key=is_prediction_name)  # beside a target, an output is rather a system's
    names = [*explicit_gold, *answers] or list(in_languages)
    if not names:
        names = table.columns_numbered("gold", "answer", "annotator")[:1]
    if not names:
        asked = [normalize_name(name) for name in question if "question" in normalize_name(name)]
        like_question = {name.replace("question", "answer") for name in asked}
        names = [name for name in table.names if normalize_name(name) in like_question]
    if not names and not _choice_columns(table):
        names = [name for name in table.names if normalize_name(name) == "a"]
    return [name for name in names if any(map(holds_answers, table.values[name]))]


def _variant_columns(table: RecordTable, gold: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with other names of the gold answer."""
    unnumbered_gold = {without_number(name) for name in gold}
    names = table.columns_named("variants", "maybe variants")
    names += [  # gold_aliases beside gold_answer
        name
        for name in filter(is_gold_name, table.names)
        if normalize_name(name).endswith(ROLE_NAMES["variants"])
    ]
    for name in table.columns_numbered("gold", "answer", "annotator"):
        if without_number(name) in unnumbered_gold:  # answer_2 belongs to answer_1
            names.append(name)
    filled = [name for name in names if any(map(holds_answers, table.values[name]))]
    return tuple(dict.fromkeys(filled))


def _system_columns(
    table: RecordTable, gold: Sequence[str], *, explicit: bool
) -> dict[str, tuple[str, ...]]:
    """Return the columns with the answers of systems, in records with gold answers.

    Only if another column is explicitly gold (`explicit`), an ``answer`` may be a system's. Beside
    explicit gold, or a column that has only the name of a system, so may a column with any name
    that partly agrees with the gold.
    """
    rather_gold = {*ROLE_NAMES["candidates"], *ROLE_NAMES["answer"]} - set(ROLE_NAMES["prediction"])
    if explicit:
        rather_gold -= set(ROLE_NAMES["bare answer"])
    remaining = [
        name
        for name in table.other_columns(gold)
        if without_number(name) not in rather_gold and not table.holds_metadata(name)
    ]
    systems = answers_of_systems(remaining)
    system_columns = set(chain.from_iterable(systems.values()))
    if not any(table.values[name] for name in system_columns):
        systems, system_columns = {}, set()
    has_bare_name = any(columns == (system,) for system, columns in systems.items())
    if (explicit or has_bare_name) and "" not in systems:
        remaining = [name for name in remaining if name not in system_columns]
        maybe_answers = without_details(remaining, systems)
        systems |= {name: (name,) for name in table.agreeing_columns(maybe_answers, gold)}
    return systems


def find_answers(
    rows: Sequence[object],
    chosen_fields: ChosenFields = NOTHING_CHOSEN,
    names: Iterable[str] = (),
    repeated: Collection[str] = (),
    *,
    has_choices: bool = False,
) -> Columns:
    """Return which columns of a run hold the answers of systems, and which the gold.

    The systems are in the chosen fields; else in columns beside repetitions of the gold; else in
    columns with the names of predictions; and also, if no column is certainly the answer of the one
    system, in columns that partly agree with the gold; else in those with yes or no. If nothing
    else is gold, columns with ambiguous names that are no system's are.

    `names` are the columns of the file. `repeated` are columns that equal the gold for every
    question; they are the gold if another column partly agrees with it. `has_choices` says whether
    the gold questions have choices.

    >>> rows = [{"id": "1", "truth": "Ulm", "answer": "Bonn"}]
    >>> find_answers(rows).systems, find_answers(rows).gold
    ({'': ('answer',)}, ('truth',))
    """
    table = RecordTable(rows, names)
    chosen_fields.check(table.names)
    yes_no = tuple(name for name in table.names if has_role(name, "prediction yes or no"))
    gold = [chosen_fields.gold] if chosen_fields.gold else table.gold_columns()
    remaining = table.without(*gold, *yes_no).other_columns(gold)
    systems = chosen_fields.systems()
    copies = [name for name in remaining if name in repeated]
    if copies and not systems:
        unrepeated = [name for name in remaining if name not in repeated]
        systems = _systems_beside_copies(table, unrepeated, copies)
        if systems:
            gold = [*gold, *copies]
            remaining = unrepeated
    if not systems:
        systems = answers_of_systems(remaining)
        rather_gold = [name for name in systems.get("", ()) if not _may_be_said(name)]
        replies = [name for name in remaining if table.holds_replies(name)]
        if rather_gold and replies:  # a label beside a conversation with the reply
            systems = {"": (replies[0],)}
            gold = [*gold, *rather_gold]
    bare = [name for name in remaining if has_role(name, "bare answer")]
    system_columns = set(chain.from_iterable(systems.values()))
    gold = gold or [name for name in bare if name not in system_columns]
    if not chosen_fields.answers and ("" not in systems or set(bare) & system_columns):
        unused = [name for name in remaining if name not in system_columns]
        agreeing = table.agreeing_columns(without_details(unused, systems), gold or bare)
        if agreeing and not gold:
            raise DataError(
                f"{bare[0]!r} may be the gold or the system's, and {agreeing[0]!r} too; say which"
                " with `gold_field` or `answer_field`"
            )
        if "" not in systems:
            systems |= {name: (name,) for name in agreeing}
    if yes_no and not systems:
        systems = {"": yes_no}
    choices = _choice_columns(table, gold)
    others = table.without(*gold)
    return Columns(
        gold=tuple(gold),
        systems=systems,
        yes_no=yes_no,
        choices=choices,
        verdicts=others.verdict_columns(systems, has_choices=has_choices or choices != ()),
    )


def _may_be_said(name: str) -> bool:
    """Return whether a system says what a column of this name holds, rather than a set."""
    return has_role(name, "bare answer", "transcript") or is_prediction_name(name)


def _systems_beside_copies(
    table: RecordTable, names: Sequence[str], copies: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the columns of systems beside copies of the gold, by their names or by agreement."""
    systems = answers_of_systems(
        name for name in names if is_prediction_name(name) or has_role(name, "candidates")
    )
    if systems:
        return systems
    return {
        name: (name,)
        for name in names
        if not (may_be_id(name) or has_role(name, "id", "run id"))
        and table.agreement(name, copies) >= MIN_AGREEMENT
    }


def _question_columns(
    table: RecordTable, queries: Collection[str], chosen_gold: str
) -> tuple[str, ...]:
    """Return the columns with the questions.

    Columns with a general name such as ``input`` count only if there are answers, queries or
    choices, or if their values look like questions. If there are none, an unknown name counts in
    the latter case.
    """
    others = table.without(*queries)
    explicit_names = others.columns_named("question")
    names = explicit_names or others.columns_named("maybe question", "transcript")
    if not names:
        unknown = [name for name in table.names if has_no_role(name) and name != chosen_gold]
        names = [name for name in unknown if table.values[name] and table.holds_questions(name)]
    elif not explicit_names and not queries and not chosen_gold:
        others = table.without(*names)
        answers = [*others.gold_columns(), *others.columns_named("answer", "choice")]
        answers += _choice_columns(others)
        if not any(table.values[name] for name in answers):
            names = [name for name in names if table.holds_questions(name)]
    max_values = max((len(table.values[name]) for name in names), default=0)
    # a half-empty or constant column, such as an instruction, is not the question
    likely = [
        name
        for name in names
        if 2 * len(table.values[name]) >= max_values and not table.is_constant(name)
    ]
    return table.with_complements((likely or names)[:1], explicit_names)


def _find_options(table: RecordTable) -> tuple[tuple[str, ...], str]:
    """Return the columns of answers that are choices, and the column with the correct one of them.

    There is one column with all choices, or a numbered one for each. The correct one is a number
    of a choice or, if the name of its column has the role "choice", perhaps the text. A column of
    candidates, or with an unknown name or a letter, has choices only if nothing else may be gold.
    An "answer" is the number of one of three or more numbered answers if it is none of them. Both
    results are empty if there are no such columns.
    """
    answers = table.columns_named("answer")
    others = []
    if not (answers or table.gold_columns()):
        others = table.columns_named("candidates")
        others += [
            name for name in table.names if has_no_role(name) or has_role(name, "single choice")
        ]
    for options in [*answers, *others]:
        for name in table.without(options).columns_named("choice", "gold", "answer"):
            if normalize_name(name) == "ok" and set(map(str, table.values[name])) <= {"0", "1"}:
                continue  # whether the record is in order
            texts = has_role(name, "choice")
            if is_gold_name(name) and not has_role(options, "variants", "maybe variants"):
                texts |= table.is_among_choices(name, options)
            if table.points_to(name, options, texts=texts):
                return (options,), name
    numbered = tuple(table.columns_numbered("answer"))
    numbers = set(map(str, range(len(numbered) + 1)))
    for name in table.columns_named("choice"):
        if len(numbered) > 1 and numbers.issuperset(map(str, table.values[name])):
            return numbered, name
    # an "answer" of 3 may have the names "3" and "three", but hardly three in all records
    are_complete = len({len(table.values[name]) for name in numbered}) == 1
    for name in answers:
        is_number = (numbers - {"0"}).issuperset(map(str, table.values[name]))
        may_be_choices = len(numbered) > 2 and are_complete
        if is_number and may_be_choices and not table.shares_texts(name, numbered):
            return numbered, name
    return (), ""


def _choice_columns(table: RecordTable, gold: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the column with the choices, or two or more columns with one choice each.

    A column that may hold other names of the answer has choices if these offer the gold.
    """
    nested = [name for name in table.names if has_role(name.rpartition(".")[2], "choices")]
    for name in dict.fromkeys([*table.columns_named("choices"), *nested]):
        if any(len(read_choices(value).texts) > 1 for value in table.values[name]):
            return (name,)
    for name in table.columns_named("maybe variants"):
        if table.offers(name, gold):
            return (name,)
    for name in table.columns_named("candidates"):
        if any(table.points_to(column, name, texts=True) for column in gold):
            return (name,)
    by_mark = {choice_mark(name): name for name in table.names}
    by_mark.pop("", None)
    marks = "".join(sorted(by_mark))
    # a table with columns A and C, but no B, has no choices
    if len(marks) < 2 or marks[0] not in "01A" or marks not in _MARKS:
        return ()
    return tuple(by_mark[mark] for mark in marks)


def _single_columns(table: RecordTable, questions: Sequence[str]) -> dict[str, str]:
    """Return the columns with one value per question; pandas' row numbers count as ids."""
    columns: dict[str, str] = {}
    for role in SINGLE_VALUED:
        names = table.without(*columns.values()).columns_named(role)
        names = [name for name in names if table.has_scalars(name)]
        if names:
            columns[role] = names[0]  # maybe "", the name of pandas' index
    if "id" in columns:
        return columns
    for name in table.without(*columns.values()).names:
        names_id = may_be_id(name) or has_role(name, "run id")
        if names_id and table.is_key(name, questions):
            return {**columns, "id": name}
    return columns


def _with_unused_columns(table: RecordTable, columns: Columns, rest: Sequence[str]) -> Columns:
    """Return the columns with those that are not kept as metadata, and with notes for users."""
    used = set(table.names).difference(rest)
    unused = [name for name in rest if any(value not in ([], {}) for value in table.values[name])]
    gold_values = [table.values[name] for name in columns.gold[:1]]
    copies = {name for name in unused if table.values[name] in gold_values}
    long = frozenset(
        name
        for name in unused
        if name not in _USED_ELSEWHERE
        if any(isinstance(value, str) and len(value) > _MAX_CHARS for value in table.values[name])
    )
    # the answers of systems are read as runs; pandas writes row numbers without a name
    answers = set(chain.from_iterable(columns.systems.values()))
    # what is said of an answer is no feature of the question
    verdicts = set(chain.from_iterable(columns.verdicts.values()))
    details: set[str] = set()
    if len(columns.systems) > 1:
        details.update(unused)
        details.difference_update(without_details(unused, columns.systems))
    beside_answers = set()
    if columns.systems:
        beside_answers = {name for name in unused if has_role(name, *_BESIDE_ANSWERS)}
    left_out = {*copies, *long, *verdicts, *beside_answers, *details}
    metadata = [name for name in unused if name not in left_out and table.is_flat(name)]
    known = {"", *answers, *_USED_ELSEWHERE}
    features = [
        repr(name) for name in metadata if name not in known and not has_role(name, "wrong answer")
    ]
    notes = list(_describe_columns(columns))
    set_aside = {*copies, *details} - {*verdicts, *answers}
    if set_aside and columns.systems:
        aside = [name for name in unused if name in set_aside]
        notes.append(
            f"not read, as they repeat the gold or say more of a system: {few_quoted(aside)};"
            " `answer_field` reads a column as answers"
        )
    if len(columns.systems) == 1:
        for name in metadata:
            n_systems = len(set(map(str, table.values[name])))
            if names_system(name) and n_systems > 1:
                notes.append(
                    f"{name!r} has {n_systems:,} values; all are scored as one run, in which"
                    f" `by={name!r}` tells them apart"
                )
    if features:
        notes.append(f"features under their own names: {few_and_more(features, _MAX_NAMED)}")
    # of some objects, fields are in use
    objects = {name.partition(".")[0] for name in {*used, *answers, *verdicts} if "." in name}
    dropped = frozenset({*used, *objects, *left_out, *(answers - set(metadata))})
    return columns._replace(dropped=dropped, long=long - answers, notes=tuple(notes))


def _describe_columns(columns: Columns) -> Iterator[str]:
    """Yield notes on how the columns were read, unless they have the names of qaldgen's tables."""
    id_column = columns.single.get("id", "")
    if normalize_name(id_column) in ROW_NUMBERS:
        id_column = ""
    answers = list(chain.from_iterable(columns.systems.values()))
    columns_of_parts = {
        "the id": (id_column,),
        "the question": (*columns.question, *columns.translations, *columns.wordings),
        "the query": tuple(columns.queries),
        "the gold answers": columns.gold,
        "further names of the gold answer": columns.variants,
        "the choices": columns.choices,
        "answers of systems": tuple(name for name in answers if not is_system_name(name)),
        "what may be answers of systems": tuple(filter(is_system_name, answers)),
        "verdicts on answers": tuple(chain.from_iterable(columns.verdicts.values())),
    }
    sources = []
    for part, part_columns in columns_of_parts.items():
        names = [name for name in part_columns if name]
        if any(name.lower() not in _UNREMARKABLE for name in names):
            joint = " and " if len(names) < 3 else ", "
            sources.append(f"{part} from {joint.join(map(repr, names))}")
    if sources:
        yield f"reads {', '.join(sources)}"
    numbered = [name for name in columns.variants if without_number(name) != normalize_name(name)]
    if numbered:
        yield (
            f"if {few_quoted(numbered)} holds answers of its own, not other names, put all answers"
            " into one column 'answers', with | between them"
        )
