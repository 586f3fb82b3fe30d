"""Collections of passages, read from files of passages or cut from longer texts."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from qaldgen.errors import DataError
from qaldgen.io.inputs import is_folder
from qaldgen.io.json_text import from_json, member
from qaldgen.io.packages import needs
from qaldgen.io.text import count
from qaldgen.io.unpacking import ContentReader, content_name, open_content
from qaldgen.options import Range
from qaldgen.plugins.passages.splitting import MAX_CHARS, split_text
from qaldgen.questions.file_content import load_content
from qaldgen.questions.records import record_fields

#: Tags of wikitext whose content is left out; PolQA keeps lists.
_SKIPPED = {"ref", "table", "gallery"}
_HEAD_BYTES = 2**16
_CHUNK_BYTES = 2**22
_ID_KEYS = ("id", "_id", "passage_id", "docid")
_TEXT_KEYS = ("text", "passage_text", "contents")
_TITLE_KEYS = ("title", "passage_title")


class Article(NamedTuple):
    """A text that is cut into passages."""

    name: str
    title: str
    text: str


def read_dump(path: Path) -> Iterator[Article]:
    """Yield the articles of a MediaWiki dump as plain text, without redirects."""
    with needs(
        f"{path}: a MediaWiki dump needs mwxml and mwparserfromhell: pip install"
        " 'qaldgen[wikipedia]'"
    ):
        import mwparserfromhell
        import mwxml

    with open_content(path) as reader:
        try:
            for page in mwxml.Dump.from_file(reader):
                if page.namespace != 0 or page.redirect is not None:
                    continue

                last_text = ""
                for revision in page:
                    last_text = revision.text or ""

                wikicode = mwparserfromhell.parse(last_text)
                tags = wikicode.filter_tags(matches=lambda tag: str(tag.tag).lower() in _SKIPPED)
                for tag in tags:
                    with contextlib.suppress(ValueError):  # a tag inside a removed one
                        wikicode.remove(tag)
                text = str(wikicode.strip_code(normalize=True, collapse=True))
                yield Article(str(page.id), str(page.title), text)
        except Exception as error:  # mwxml raises what its XML parser raises
            raise DataError(
                f"is truncated or damaged ({type(error).__name__}: {error})", where=path
            ) from error


class Passage(NamedTuple):
    """A stretch of text that may hold an answer.

    Attributes
    ----------
    id : str
        Unique in its collection.
    text : str
        The text.
    title : str
        The title of its article; empty if it has none.
    origin : str
        The name of the text from which it was cut; empty if it was not cut.
    start : int
        The number of characters before it in that text.

    Examples
    --------
    >>> Passage("10-1", "The mill burned in 1871.").title
    ''
    """

    id: str
    text: str
    title: str = ""
    origin: str = ""
    start: int = 0


@dataclasses.dataclass(frozen=True, eq=False)
class Collection:
    """The passages that are searched.

    Attributes
    ----------
    name : str
        Its name in messages and runs.
    passages : tuple of Passage
        The passages in the order of the file. Of passages with equal scores the first is better.
    sha256 : str
        The hash of the file, or of the paths and contents of the texts in a folder.
    notes : tuple of str
        Remarks for users on passages that were left out.

    Examples
    --------
    >>> Collection("mills", (Passage("1", "The mill burned in 1871."),))
    <Collection mills: 1 passage>
    """

    name: str
    passages: tuple[Passage, ...]
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Passage]:
        """The passages by id."""
        return {passage.id: passage for passage in self.passages}

    @cached_property
    def by_origin(self) -> Mapping[str, Sequence[Passage]]:
        """The passages by the text that they were cut from."""
        passages: dict[str, list[Passage]] = {}
        for passage in self.passages:
            passages.setdefault(passage.origin, []).append(passage)
        return passages

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Collection {self.name}: {count(len(self.passages), 'passage')}>"


class Pair(NamedTuple):
    """A question with a passage, as in a row of PolQA."""

    question: str  # the id of the question
    passage: Passage
    relevant: bool  # whether it answers the question
    source: str = ""  # the way it was found: ``human``, ``hard-negatives`` or ``zero-shot``


def read_pairs(path: str | Path) -> Iterator[Pair]:
    """Yield the rows of PolQA (CSV, JSON or JSON Lines) that have a passage."""
    content = load_content(Path(path))
    for fields in record_fields(content, ["question_id"], content.lower_rows):
        passage_id = fields.scalar("passage_id")
        if not passage_id and not fields.scalar("passage_text"):
            continue
        if not fields.has("relevant"):
            raise DataError("has a passage, and no 'relevant' (True or False)", where=fields.where)
        passage = Passage(
            passage_id or str(fields.where),
            fields.scalar("passage_text"),
            fields.scalar("passage_title"),
        )
        yield Pair(
            fields.required("question_id"), passage, bool(fields.flag("relevant")),
            fields.scalar("passage_source"),
        )  # fmt: skip


def read_collection(
    path: str | Path, *, longest: Annotated[int, Range(20)] = MAX_CHARS
) -> Collection:
    """Read passages.

    Parameters
    ----------
    path
        JSON Lines with id and text, the rows of PolQA, the JSON of SQuAD or PoQuAD, a folder of
        texts, or a MediaWiki dump.
    longest
        Maximum length of a passage, in characters.

    Returns
    -------
    Collection
        The passages with different ids and a text, and notes on those that were left out.

    Raises
    ------
    DataError
        If the file cannot be read, or holds no passage with a text.
    """
    file = Path(path)
    if is_folder(file):
        articles, digest = _read_folder(file)
        passages: Iterable[Passage] = _split_articles(articles, longest)
    else:
        passages = _read_passages(file, longest)
        with open_content(file) as reader:
            while reader.read(_CHUNK_BYTES):
                pass
            digest = reader.hexdigest()

    by_id: dict[str, Passage] = {}
    empty_ids = list[str]()
    ambiguous_ids = list[str]()
    for passage in passages:
        if not passage.text.strip():
            empty_ids.append(passage.id)
        elif passage.id not in by_id:
            by_id[passage.id] = passage
        elif by_id[passage.id].text != passage.text:
            ambiguous_ids.append(passage.id)

    notes = []
    if empty_ids:
        notes.append(
            f"passages without a text, left out: {len(empty_ids):,} (first: {empty_ids[0]})"
        )
    if ambiguous_ids:
        notes.append(
            "passages whose id stands before with another text, left out:"
            f" {len(ambiguous_ids):,} (first: {ambiguous_ids[0]})"
        )

    if not by_id:
        hint = f" ({notes[0]})" if notes else ""
        raise DataError(f"holds no passage with a text{hint}", where=file)
    return Collection(
        Path(content_name(file)).stem, tuple(by_id.values()), digest, notes=tuple(notes)
    )


def _read_folder(folder: Path) -> tuple[list[Article], str]:
    """Return the .txt files in a folder as articles, and a hash of their paths and contents."""
    articles = []
    folder_hash = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*.txt") if file.is_file()):
        path_in_folder = file.relative_to(folder)
        data = file.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        folder_hash.update(f"{path_in_folder.as_posix()}\0{digest}\n".encode())
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(
                f"byte {error.start:,} is not UTF-8; convert the file first", where=file
            ) from error
        name = path_in_folder.with_suffix("").as_posix().replace(" ", "_")
        articles.append(Article(name, file.stem.replace("_", " "), text))
    return articles, folder_hash.hexdigest()


def _read_passages(path: Path, longest: int) -> Iterable[Passage]:
    """Return the passages of a file, whose format is recognised by its beginning."""
    with open_content(path) as reader:
        head = reader.read(_HEAD_BYTES).lstrip()
    if not head:
        raise DataError("is empty; a collection of passages is expected", where=path)
    if head.startswith(b"\xef\xbb\xbf"):
        head = head[3:].lstrip()

    if head.startswith(b"<"):
        if b"<mediawiki" not in head:
            raise DataError(
                "is XML, but not a MediaWiki dump, which begins with <mediawiki>", where=path
            )
        return _split_articles(read_dump(path), longest)
    if head.startswith(b"{"):
        if b'"paragraphs"' in head or _is_one_document(head):
            return _split_articles(_read_squad(path), longest)
        return _read_json_lines(path)
    if head.startswith(b"question_id,") or b"passage_text" in head.split(b"\n", 1)[0]:
        # PolQA has a row for each question of a passage
        return dict.fromkeys(pair.passage for pair in read_pairs(path))

    raise DataError(
        "is not a collection of passages; use JSON Lines with id and text, PolQA, PoQuAD, a folder"
        " of .txt files, or a MediaWiki dump",
        where=path,
    )


def _is_one_document(head: bytes) -> bool:
    """Return whether a file is one JSON object, rather than JSON Lines with a passage each."""
    line, newline, _ = head.partition(b"\n")
    # the first line goes on after the part that was read: a passage with a long text
    if not newline and len(head) >= _HEAD_BYTES - 4:
        return False
    try:
        from_json(line)
    except ValueError:
        # the object goes on in the next line; a line that ends with } is a damaged passage
        return bool(newline) and not line.rstrip().endswith(b"}")
    return b'"data"' in line


def _read_json_lines(path: Path) -> Iterator[Passage]:
    """Yield the passages of JSON Lines; refuse a line that is not a passage."""
    with open_content(path) as reader:
        for number, line in enumerate(_read_lines(reader), 1):
            if not line.strip():
                continue

            location = f"{path}: line {number}"
            try:
                record = from_json(line.decode("utf-8-sig"))
            except ValueError as error:
                damage = "is not JSON" if line.endswith(b"\n") else "is truncated or not JSON"
                detail = str(error)
                # the message of the parser has "line 1", as it sees only this line
                if isinstance(error, json.JSONDecodeError):
                    detail = f"{error.msg}, column {error.colno}"
                elif isinstance(error, UnicodeDecodeError):
                    detail = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
                raise DataError(
                    f"{damage} ({detail}); each line is one passage", where=location
                ) from error
            if not isinstance(record, dict):
                raise DataError("is not an object; a passage has 'id' and 'text'", where=location)

            passage_id = _first_value(record, _ID_KEYS)
            text = _first_value(record, _TEXT_KEYS)
            if passage_id is None or text is None:
                field = "id" if passage_id is None else "text"
                raise DataError(f"has no {field}; a passage has 'id' and 'text'", where=location)

            start = record.get("start")
            yield Passage(
                passage_id,
                text,
                title=_first_value(record, _TITLE_KEYS) or "",
                origin=str(record.get("origin", "")),
                start=start if isinstance(start, int) else 0,
            )


def _read_lines(reader: ContentReader) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, without reading it as a whole."""
    last_line = b""
    while chunk := reader.read(_CHUNK_BYTES):
        *lines, last_line = (last_line + chunk).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if last_line:
        yield last_line


def _first_value(record: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the value of the first name that a record has; None without one, or for a list."""
    for name in names:
        value = record.get(name)
        if isinstance(value, (dict, list)):
            return None
        if value is not None:
            return str(value)
    return None


def _read_squad(path: Path) -> Iterator[Article]:
    """Yield the paragraphs of SQuAD's JSON, and the summaries of PoQuAD, as articles."""
    with open_content(path) as reader:
        try:
            document = from_json(reader.read().decode("utf-8-sig"))
        except ValueError as error:
            raise DataError(f"is truncated or not JSON ({error})", where=path) from error

    data = member(document, "data")
    if not isinstance(data, list):
        raise DataError("has no list 'data' of articles with paragraphs", where=path)
    for i, article in enumerate(data, 1):
        if not isinstance(article, dict):
            continue

        title = str(article.get("title") or "")
        paragraphs = article.get("paragraphs")
        if article.get("summary"):  # of PoQuAD
            yield Article(f"{i}.0", title, str(article["summary"]))
        if not isinstance(paragraphs, list):
            continue
        for j, paragraph in enumerate(paragraphs, 1):
            if isinstance(paragraph, dict):
                yield Article(f"{i}.{j}", title, str(paragraph.get("context") or ""))


def _split_articles(articles: Iterable[Article], longest: int) -> Iterator[Passage]:
    """Yield the passages of articles; their ids are the name of the article and a number."""
    for article in articles:
        for number, piece in enumerate(split_text(article.text, longest)):
            yield Passage(
                f"{article.name}-{number}",
                piece.text,
                title=article.title,
                origin=article.name,
                start=piece.start,
            )


def dump_collection(collection: Collection) -> str:
    r"""Return the passages as JSON Lines, which `read_collection` reads.

    Parameters
    ----------
    collection
        The passages.

    Returns
    -------
    str
        A line for each passage: id, title, text, and the text and place from which it was cut.

    Examples
    --------
    >>> dump_collection(Collection("mills", (Passage("1", "The mill burned."),)))
    '{"id": "1", "title": "", "text": "The mill burned."}\n'
    """
    lines = []
    for passage in collection.passages:
        record: dict[str, object] = {"id": passage.id, "title": passage.title, "text": passage.text}
        if passage.origin:
            record |= {"origin": passage.origin, "start": passage.start}
        lines.append(json.dumps(record, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)
