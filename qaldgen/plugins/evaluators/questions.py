"""The questions and gold answers that a log carries, as a question set."""

from __future__ import annotations

from collections.abc import Iterator

from qaldgen.formats.file_content import Content
from qaldgen.formats.generic_records import read_plain
from qaldgen.formats.records import Item, Note, Read, ReadOptions
from qaldgen.plugins.evaluators.samples import ReadLog


def questions_of(read_log: ReadLog) -> Read:
    """Return the function that yields the questions of a log, each once."""

    def _read(content: Content, options: ReadOptions) -> Iterator[Item]:
        log = read_log(content, "")
        records = list(
            {
                sample.id: dict(sample.question) | {"id": sample.id} for sample in log.samples
            }.values()
        )
        keys = frozenset(name for record in records for name in record)
        # notes on how fields were understood are for files that a user can change, not for the
        # records made here
        for item in read_plain(
            Content(content.path, "jsonl", "", content.sha256, records, keys), options
        ):
            if not isinstance(item, Note):
                yield item

    return _read
