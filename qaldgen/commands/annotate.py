"""``qaldgen annotate``."""

from __future__ import annotations

from collections import Counter

import click

from qaldgen.commands import common


@click.command(epilog="Example: qaldgen annotate qald-9-test.json lc-quad-test.json -o features.ttl --jobs 2")
@click.argument("files", nargs=-1, required=True)
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write the features as Turtle; - is stdout (default).")
@click.option("--lang", default="en", show_default=True, help="The language whose wordings are looked at.")
@click.option("--format", "format_", metavar="NAME", help="The form of the files, where it is not recognised.")
@click.option(
    "--labels", metavar="FILE", help="RDF with rdfs:label; labels of entities, relations and classes are taken from it."
)
@click.option("--licence", default="", metavar="IRI", help="The licence of the questions, to be written with them.")
@click.option("--jobs", default=1, show_default=True, metavar="N", help="Processes to compute with.")
@click.option("--r1-compat", is_flag=True, help="Also write the property names of the published data, for the paper's listings.")
@click.option("--no-cache", is_flag=True, help="Compute everything anew, and keep nothing.")
@common.force_option
def command(
    files: tuple[str, ...], output: str, lang: str, format_: str | None, labels: str | None, licence: str, jobs: int,
    r1_compat: bool, no_cache: bool, force: bool,
) -> None:  # fmt: skip
    """Compute the features of questions and write them as RDF, for 'select' and 'sample'.

    FILES are question sets: QALD JSON and XML, LC-QuAD, RuBQ, Mintaka, PolEval, CSV and many more; recognised by content.
    A name of 'qaldgen data list' is fetched.
    """
    from qaldgen.annotation import annotate
    from qaldgen.features.cache import cache_file
    from qaldgen.features.text import load_model
    from qaldgen.fetching import resolve
    from qaldgen.labels import read_labels
    from qaldgen.question_sets import read_questions

    common.check_outputs([output], force=force)
    sets = [read_questions(resolve(file), format=format_, language=lang) for file in files]
    for one in sets:
        click.echo(f"{one.name}: {len(one.questions):,} questions ({one.format})", err=True)
        reasons = Counter(left.reason for left in one.left_out)
        common.notes(f"{one.name}: {count:,} records left out: {reason}" for reason, count in reasons.items())
        without = sum(lang not in question.texts for question in one.questions)
        if without:
            common.notes([f"{one.name}: {without:,} questions have no wording in {lang!r}; they get no features of the text"])
    if load_model(lang) is None:
        absent = "features that need one (parts of speech, head word, named entities) are absent"
        common.notes([f"no spaCy model for {lang!r} is installed: {absent}"])
    names = read_labels(labels) if labels else None
    cache = None if no_cache else cache_file()
    total = sum(len(one.questions) for one in sets)
    with common.progress_bar("annotating", total) as bar:
        made = annotate(
            sets, language=lang, labels=names, jobs=jobs, r1_compat=r1_compat, licence=licence, cache=cache, progress=bar.update
        )
    if made.unparsable:
        first, count = made.unparsable[0], len(made.unparsable)
        common.notes(
            [f"{count:,} of {len(made):,} queries cannot be parsed (first: {first}); they have no features of the query"]
        )
    common.write_output(output, made.dump())
