"""Read question sets: files, public sets by name, and data in memory; write the example."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from qaldgen.defaults import LANGUAGE
from qaldgen.io.outputs import check_writable, write_all
from qaldgen.io.packages import resource_dir
from qaldgen.model import QuestionSet
from qaldgen.options import Field, Formats, Property, Separator
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.file_content import InMemory
from qaldgen.questions.reading import read_questions

#: The files of the example, which setup.cfg installs.
FILES = (
    "questions.json", "graph.ttl", "one-hop.tsv", "training.tsv", "passages.jsonl",
    "polish-questions.jsonl", "questions.txt",
)  # fmt: skip


def load(
    name: str | Path | InMemory,
    *,
    format: Formats | None = None,
    language: str = LANGUAGE,
    skip_broken: bool = False,
    split_answers: Separator = "",
    gold_field: Field = "",
    answers: str | Path | None = None,
    prefixes: str | Path | None = None,
    text_property: Property = "",
    licence: str = "",
) -> QuestionSet:
    r"""Read a question set.

    A file in any known format, or a public set by name, downloaded if necessary.

    Parameters
    ----------
    name
        The file, or a name of ``qaldgen data list``; or a DataFrame, a list of dicts or a dict,
        with columns or keys as in a file.
    format
        Format of the questions, if it is not recognised.
    language
        Language of texts without a language tag.
    skip_broken
        Skip and list broken records instead of rejecting the file.
    split_answers
        Separator of several answers in one text, in addition to | (tables and JSON records), such
        as ';'; the answers of runs are split at it, too.
    gold_field
        Field or column with the gold answers, if its name does not tell (tables and JSON records).
    answers
        File with the gold answers, if they lie apart: records, a table, or an object of id and
        answer.
    prefixes
        File with prefixes that queries use and do not declare: Turtle, SPARQL, or a table.
    text_property
        Property with the texts of the questions in RDF of another vocabulary: an IRI, or a name
        with a prefix, such as ``rdfs:label``.
    licence
        Licence of the questions (an IRI), recorded in the output.

    Returns
    -------
    QuestionSet
        ``.left_out`` has the records without a usable question, ``.notes`` what else should be
        known.

    Raises
    ------
    DataError
        If there is neither such a file nor such a set, or it cannot be read.
    UsageError
        If there is no such format, or it does not take an option that is given.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.csv"
    ...     _ = path.write_text("question,answer\nWhich moons has Mars?,Phobos|Deimos\n")
    ...     load(path).questions[0].answers.values()
    ['Phobos', 'Deimos']
    >>> load([{"question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]).format
    'json-records'
    """
    options = ReadOptions(
        format=format,
        language=language,
        skip_broken=skip_broken,
        split_answers=split_answers,
        gold_field=gold_field,
        answers=answers,
        prefixes=prefixes,
        text_property=text_property,
    )
    questions = read_questions(name, options)
    if licence:
        questions = dataclasses.replace(questions, licence=licence)
    return questions


def write_example(folder: str | Path, *, force: bool = False) -> list[Path]:
    """Write the example into a folder, all files or none."""
    source, target = resource_dir("examples"), Path(folder)
    for name in FILES:
        check_writable(target / name, force=force, new_folders=True)
    copies = [(target / name, (source / name).read_bytes()) for name in FILES]
    write_all(copies, force=force, new_folders=True)
    return [path for path, _ in copies]
