"""What can be refused before data is read, which may take minutes: names that there are not, and files that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from qaldgen.errors import DataError, UsageError
from qaldgen.io.inputs import input_exists


def check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    """Refuse an unknown name before the work is done, and suggest what may be meant."""
    names = list(choices)
    if value in names:
        return
    near = difflib.get_close_matches(value, names, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"{option} {value}: there is no such name; {hint}choose one of {', '.join(names)}")


def check_files(*names: str | None) -> None:
    """Refuse files that are not there; a URL is no file."""
    for name in names:
        if name is not None and not name.startswith(("http://", "https://")) and not input_exists(name):
            raise DataError(f"{name}: cannot be opened (No such file or directory); check the name")


def check_sets(*names: str | None) -> None:
    """Refuse what is neither a file nor the name of a public question set; nothing is fetched yet."""
    from qaldgen.datasets.fetching import find_source

    for name in names:
        if name is not None:
            find_source(name)


def check_set_form(form: str | None) -> None:
    """Refuse a form of question sets that there is not."""
    from qaldgen.formats.reading import check_format

    check_format(form)


def check_run_form(form: str | None) -> None:
    """Refuse a form of runs that there is not."""
    from qaldgen.runs.reading import check_format

    check_format(form)


def check_any_form(form: str | None) -> None:
    """Refuse a form that neither question sets nor runs have."""
    from qaldgen.formats.reading import READERS
    from qaldgen.runs.reading import RUN_READERS

    if form is not None and form not in {*READERS, *RUN_READERS}:
        raise UsageError(f"there is no form {form!r}; the forms are {', '.join(dict.fromkeys((*READERS, *RUN_READERS)))}")


def check_method(
    query: str, size: int, method: str, seed: int, options: Mapping[str, float | str], features: Sequence[str]
) -> None:
    """Refuse a sample that no pool can give, and features that the query does not mention."""
    from qaldgen.sampling import check_call
    from qaldgen.sparql.tokens import tokens

    check_call(size, method, random_state=seed, options=options)
    known = [token.text[1:] for token in tokens(query) if token.kind == "var"]
    named = [*features, *str(options.get("by", "")).split(","), str(options.get("pps", ""))]
    for name in filter(None, map(str.strip, named)):
        if name.partition("=")[0] not in known:
            listed = ", ".join(f"?{one}" for one in dict.fromkeys(known))
            raise UsageError(f"the query has no variable for the feature {name!r}; its variables are {listed}")


def check_slices(by: Iterable[str], where: Sequence[str]) -> None:
    """Refuse features and queries of slices that there are not."""
    from qaldgen.analysis.feature_table import CLUSTER, slice_queries
    from qaldgen.features.catalogue import all_features

    for text in by:
        for name in text.split(","):
            check_choice("--by", name.strip(), [*all_features(), CLUSTER])
    slice_queries(where)
