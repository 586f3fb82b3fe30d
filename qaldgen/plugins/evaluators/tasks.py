"""Write a benchmark for lm-evaluation-harness, inspect_ai or Hugging Face, with its card."""

from __future__ import annotations

import io
import json
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template

from qaldgen.benchmark.benchmark import Benchmark, ExportFormat, ExportOptions
from qaldgen.errors import DataError, UsageError
from qaldgen.features.resources import label_in_iri, without_qualifier
from qaldgen.io.notes import note
from qaldgen.io.packages import needs, package_path
from qaldgen.model import Answers
from qaldgen.plugins.evaluators.croissant import DescribedFile, dump_croissant
from qaldgen.plugins.evaluators.logs import ALL_ANSWERS
from qaldgen.questions.results_json import Json
from qaldgen.selection.vectors import file_columns

#: Hugging Face's names of licences by the start of their address.
_LICENCES = {
    "creativecommons.org/licenses/by/4.0": "cc-by-4.0",
    "creativecommons.org/licenses/by/3.0": "cc-by-3.0",
    "creativecommons.org/licenses/by-sa/4.0": "cc-by-sa-4.0",
    "creativecommons.org/licenses/by-sa/3.0": "cc-by-sa-3.0",
    "creativecommons.org/licenses/by-nc/4.0": "cc-by-nc-4.0",
    "creativecommons.org/licenses/by-nc-sa/4.0": "cc-by-nc-sa-4.0",
    "creativecommons.org/publicdomain/zero/1.0": "cc0-1.0",
    "apache.org/licenses/license-2.0": "apache-2.0",
    "opensource.org/licenses/mit": "mit",
    "gnu.org/licenses/gpl-3.0": "gpl-3.0",
    "gnu.org/licenses/agpl-3.0": "agpl-3.0",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
#: The size categories of Hugging Face by their upper bounds.
_SIZE_CATEGORIES = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
}
#: What a card says about weights, by the design of the sample.
_DESIGNS = {
    "probability": (
        "a weight is the share of the pool that a question stands for: the weighted mean of"
        " scores estimates the score on the whole pool, and `inclusion_probability` is the"
        " chance of the question to be chosen"
    ),
    "purposive": (
        "a weight is the share of the pool in the question's cluster; the questions were chosen on"
        " purpose, so a weighted mean describes them and is no unbiased estimate for the pool"
    ),
}
_PARQUET = "data/test-00000-of-00001.parquet"
#: Names that the template of inspect_ai uses for something else.
_RESERVED_NAMES = frozenset(["task", "generate", "includes", "match"])
_TEMPLATES = package_path(Path(__file__).with_name("templates"))


def dump_card(benchmark: Benchmark, rows: Sequence[Mapping[str, Json]], lead: str) -> bytes:
    """Return the card as Markdown with front matter; `lead` is its first sentence."""
    path = "questions.jsonl" if lead else "data/test-*.parquet"
    languages = sorted({str(row["language"]) for row in rows if row["language"]})
    sizes = [name for bound, name in _SIZE_CATEGORIES.items() if len(rows) < bound]
    # the part of a card that Hugging Face reads
    front_matter: dict[str, object] = {
        "pretty_name": benchmark.title,
        **licence_fields(benchmark.licence),
        "language": list(languages),
        "task_categories": ["question-answering"],
        "size_categories": [sizes[0] if sizes else "n>1M"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": path}]}],
    }

    provenance = benchmark.provenance
    query = provenance.query_text.strip()
    # a query may contain backticks in strings, which would end the block early
    longest = max((len(ticks) for ticks in re.findall(r"`+", query)), default=0)
    sources = "; ".join(source.reference for source in benchmark.sources)
    values = vars(provenance) | {
        "front": _dump_yaml(front_matter),
        "title": " ".join(benchmark.title.split()),
        "lead": f"{lead} " if lead else "",
        "n": len(benchmark),
        "pool": f"{benchmark.pool_size:,}",
        "signature": benchmark.signature,
        "iri": benchmark.iri,
        "data": sources or f"`{provenance.data_name}`",
        "published": ", ".join(filter(None, (benchmark.publisher, benchmark.date))) or "not said",
        "citation": benchmark.citation,
        "versions": ", ".join(f"{name} {number}" for name, number in provenance.versions.items()),
        "licence": benchmark.licence or "that of their source, which the data does not name",
        "design": _DESIGNS[benchmark.design],
        "query": query,
        "fence": "`" * max(3, longest + 1),
    }
    return _fill_template("card.md.txt", values).encode("utf-8", "backslashreplace")


def _fill_template(template: str, values: Mapping[str, object]) -> str:
    """Return a template of the folder ``templates`` with values filled in."""
    return Template((_TEMPLATES / template).read_text("utf-8")).substitute(values)


def dump_cff(benchmark: Benchmark) -> bytes:
    """Return the CITATION.cff, which says to programs how a benchmark is cited."""
    fields: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "Please cite this benchmark and the question sets that it comes from.",
        "type": "dataset",
        "title": benchmark.title,
        "abstract": benchmark.citation,
        "authors": [{"name": benchmark.publisher or "unknown"}],
        "identifiers": [{"type": "url", "value": benchmark.iri}],
    }

    if re.fullmatch(r"\d{4}-\d\d-\d\d", benchmark.date):
        fields["date-released"] = benchmark.date
    if benchmark.licence:
        fields["license-url"] = benchmark.licence
    if benchmark.sources:
        fields["references"] = [
            {
                "type": "data",
                "title": source.name,
                "authors": [{"name": "see the notes"}],
                "notes": source.reference,
            }
            for source in benchmark.sources
        ]

    return _dump_yaml(fields).encode("utf-8", "backslashreplace")


def _dump_yaml(fields: Mapping[str, object]) -> str:
    """Return fields as YAML, one on each line; values are JSON, which is YAML as well."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items()]
    return "".join(lines)


def licence_fields(licence: str) -> dict[str, Json]:
    """Return a card's fields for a licence: the name that Hugging Face knows, or the address.

    >>> licence_fields("https://creativecommons.org/licenses/by/4.0/")
    {'license': 'cc-by-4.0'}
    >>> licence_fields("https://example.org/mine")
    {'license': 'other', 'license_name': 'other', 'license_link': 'https://example.org/mine'}
    """
    if not licence:
        return {"license": "unknown"}
    # http and https, with and without www, name the same licence
    address = licence.lower().partition("://")[2].removeprefix("www.")
    if not address:
        if _NAME.fullmatch(licence.lower()):
            return {"license": licence.lower()}
        return {"license": "other", "license_name": licence}
    for start, name in _LICENCES.items():
        if address.startswith(start):
            return {"license": name}
    return {"license": "other", "license_name": "other", "license_link": licence}


def task_form(
    ending: str, lead: str, templates: Mapping[str, str], quote: Callable[[str], str]
) -> ExportFormat:
    """Return the form of a task: files made from templates, the questions and a card."""

    def write(benchmark: Benchmark, options: ExportOptions) -> Mapping[str, bytes]:
        rows = _make_rows(benchmark, options)
        task = task_name(options.name)
        values = {"task": task, "quoted": quote(task), "signature": quote(benchmark.signature)}
        files = {file: _fill_template(name, values).encode() for file, name in templates.items()}
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        try:
            # JSON can hold half of a surrogate pair as an escape; UTF-8 cannot.
            files["questions.jsonl"] = lines.encode("utf-8")
        except UnicodeEncodeError as error:
            raise DataError(
                "a text contains half of a surrogate pair, which no UTF-8 file can contain; correct"
                " the source"
            ) from error
        files["README.md"] = dump_card(benchmark, rows, lead.format(task))
        files["CITATION.cff"] = dump_cff(benchmark)
        return files

    return ExportFormat(ending, write, (*templates, "questions.jsonl", "README.md", "CITATION.cff"))


def write_hugging_face(benchmark: Benchmark, options: ExportOptions) -> Mapping[str, bytes]:
    """Return the files of a data set folder for ``datasets.load_dataset``."""
    rows = _make_rows(benchmark, options)
    names = file_columns(benchmark.features)
    questions = options.questions(benchmark)
    table = []
    for row, question, member in zip(rows, questions, benchmark.members, strict=True):
        if question.answers is None:
            # null, as an empty list would make an empty answer right
            row |= dict.fromkeys(("answers", ALL_ANSWERS, "answer_iris"))
        table.append(row | dict(zip(names, member.values, strict=True)))
    data = _dump_parquet(table)
    described = DescribedFile(_PARQUET, "application/x-parquet", data, table)
    return {
        _PARQUET: data,
        "README.md": dump_card(benchmark, rows, ""),
        "CITATION.cff": dump_cff(benchmark),
        "croissant.json": dump_croissant(benchmark, [described]),
    }


def task_name(text: str) -> str:
    """Return a name that is valid in Python and YAML.

    >>> task_name("QALD-9 (test)"), task_name("9plus"), task_name("class")
    ('QALD_9_test', 'task_9plus', 'task_class')
    """
    # ASCII only, as the name is also typed on command lines
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    if not re.match(r"[A-Za-z]", name) or keyword.iskeyword(name) or name in _RESERVED_NAMES:
        name = f"task_{name}".rstrip("_")
    return name


def _make_rows(benchmark: Benchmark, options: ExportOptions) -> list[dict[str, Json]]:
    """Return a record of each question with its gold answers as text, and note what is lost."""
    questions = options.questions(benchmark)
    codes = "gold answers that are codes without a name, which no model gives as an answer"
    no_gold = "no gold answers"
    other_language = (
        f"no text in {options.language!r}, so the question is asked in another language"
    )
    no_text = "no text at all"
    ids_by_problem: dict[str, list[str]] = {
        problem: [] for problem in (codes, no_gold, other_language, no_text)
    }

    rows: list[dict[str, Json]] = []
    for question, member in zip(questions, benchmark.members, strict=True):
        iris = [cell.value for cell in question.gold.cells() if cell.type == "uri"]
        # there are no words in a code such as Q64
        if not all(map(label_in_iri, iris)):
            ids_by_problem[codes].append(question.id)
        if not question.gold.values():
            ids_by_problem[no_gold].append(question.id)
        if not any(question.texts.values()):
            ids_by_problem[no_text].append(question.id)
        elif not question.texts.get(options.language):
            ids_by_problem[other_language].append(question.id)

        wordings = _answer_names(question.gold)
        # the language of `Question.text`, which may be another one
        tags = [tag for tag in (options.language, *question.texts) if question.texts.get(tag)]
        rows.append(
            {
                "id": question.id,
                "question": question.text(options.language),
                "answers": [wording[0] for wording in wordings],
                ALL_ANSWERS: [list(wording) for wording in wordings],
                "answer_iris": list(iris),
                "answer_type": question.answer_type,
                "language": tags[0] if tags else "",
                "sparql": question.sparql,
                "weight": member.weight,
                "cluster": member.cluster,
                "inclusion_probability": member.inclusion,
            }
        )

    for problem, ids in ids_by_problem.items():
        if ids:
            note(f"{len(ids):,} of {len(questions):,} questions (first: {ids[0]}): {problem}")
    return rows


def _answer_names(answers: Answers) -> list[tuple[str, ...]]:
    """Return the names of each answer, the main one first."""
    if answers.boolean is not None:
        word = "yes" if answers.boolean else "no"
        return [(word,)]
    wordings = []
    for cell in answers.cells():
        # the names in an IRI, without and with the text in brackets; else the IRI itself
        name = label_in_iri(cell.value) if cell.type == "uri" else cell.value
        names = dict.fromkeys(filter(None, (without_qualifier(name), name)))
        wordings.append(tuple(names) or (cell.value,))
    wordings += filter(None, answers.texts)
    # two IRIs with the same label are one answer in words
    return list(dict.fromkeys(wordings))


def _need_pyarrow() -> None:
    """Refuse a folder with Parquet where pyarrow is not installed."""
    with needs(
        "a data set folder contains Parquet, which needs pyarrow: pip install 'qaldgen[parquet]'",
        UsageError,
    ):
        import pyarrow.parquet  # noqa: F401 - whether it is there


def _dump_parquet(rows: Sequence[Mapping[str, Json]]) -> bytes:
    """Return rows as Parquet, with column types that do not depend on the values."""
    import pyarrow as pa
    from pyarrow import parquet

    # otherwise a column of nulls has the type "null", and two files cannot be joined
    string = pa.string()
    strings = pa.list_(pa.string())
    types = {
        "id": string, "question": string, "answers": strings, ALL_ANSWERS: pa.list_(strings),
        "answer_iris": strings, "answer_type": string, "language": string, "sparql": string,
        "weight": pa.float64(), "cluster": pa.int64(), "inclusion_probability": pa.float64(),
    }  # fmt: skip
    names = list(rows[0]) if rows else list(types)
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in names])
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows), schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


HUGGING_FACE = ExportFormat(
    ".hf",
    write_hugging_face,
    (_PARQUET, "README.md", "CITATION.cff", "croissant.json"),
    _need_pyarrow,
)
