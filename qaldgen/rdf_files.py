"""Read RDF files: the syntax is recognised by content, the terms are kept exactly as written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from pyoxigraph import Quad, RdfFormat, parse

from qaldgen.errors import DataError
from qaldgen.files import ContentReader, content_name, open_content

_HEAD = 2**20
_MAX_ENTITY = 1000
_TERM = rb'(?:<[^<>"{}|^`\\\x00-\x20]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)'
_LINE = re.compile(rb"^%s[ \t]*<[^>]*>[ \t]*%s[ \t]*(?P<graph>(?:<[^>]*>|_:\S+)[ \t]*)?\.[ \t]*(?:#.*)?$" % (_TERM, _TERM))
_ENTITY = re.compile(r"""<!ENTITY\s+(%\s*)?([^\s%]+)\s+(?:"([^"]*)"|'([^']*)'|(\w))""")
_ENDINGS = {
    "nt": RdfFormat.N_TRIPLES, "nq": RdfFormat.N_QUADS, "ttl": RdfFormat.TURTLE, "trig": RdfFormat.TRIG,
    "rdf": RdfFormat.RDF_XML, "owl": RdfFormat.RDF_XML, "xml": RdfFormat.RDF_XML, "jsonld": RdfFormat.JSON_LD,
}  # fmt: skip
#: What one format may be called without anybody being misled: every N-Triples file is Turtle, every Turtle file TriG.
_ALSO = {
    RdfFormat.N_TRIPLES: {RdfFormat.N_TRIPLES, RdfFormat.N_QUADS, RdfFormat.TURTLE, RdfFormat.TRIG},
    RdfFormat.TURTLE: {RdfFormat.TURTLE, RdfFormat.TRIG},
}


def sniff(head: bytes) -> RdfFormat:
    """Return the RDF format that the first bytes of a file show.

    N-Triples is told from Turtle by its first statement, N-Quads by a fourth term there. What looks like neither XML nor JSON
    is taken for Turtle or TriG, whose parser then says what is wrong with it.

    Raises
    ------
    DataError
        If the bytes are an HTML page, or XML without RDF.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] == b"<" and re.match(rb"<\?xml|<!DOCTYPE|<!--|<[\w.-]+:?RDF[\s>]", text, re.IGNORECASE):
        if re.search(rb"<!DOCTYPE\s+html|<html[\s>]", text[:2000], re.IGNORECASE):
            raise DataError("this is an HTML page, not RDF; fetch the file itself, not the page about it")
        return RdfFormat.RDF_XML
    if re.match(rb"<html[\s>]", text, re.IGNORECASE):
        raise DataError("this is an HTML page, not RDF; fetch the file itself, not the page about it")
    if re.match(rb'\{\s*("|\})|\[\s*\{\s*"|\[\s*\]\s*$', text):
        return RdfFormat.JSON_LD
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    match = _LINE.match(first.rstrip())
    if match is None:
        return RdfFormat.TURTLE
    return RdfFormat.N_QUADS if match["graph"] else RdfFormat.N_TRIPLES


class RdfFile:
    """An RDF file, its format and, once it has been read to the end, the sha256 of what it holds.

    Attributes
    ----------
    path : Path
        The file.
    format : RdfFormat
        The syntax, by content.
    sha256 : str
        Of the unpacked bytes; empty before the first `read`.
    notes : list of str
        What a user should know, such as a file ending that says another syntax.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sha256 = ""
        self.notes: list[str] = []
        with open_content(path) as reader:
            head = reader.read(_HEAD)
        if not head.strip():
            raise DataError(f"{path}: is empty; it should hold question features as RDF")
        try:
            self.format = sniff(_require_utf8(head))
            if self.format == RdfFormat.RDF_XML:
                _refuse_entity_expansion(head)
        except DataError as error:
            raise DataError(f"{path}: {error}") from error
        self._note_ending()

    def _note_ending(self) -> None:
        name = content_name(self.path)
        claimed = _ENDINGS.get(name.rsplit(".", 1)[-1].lower())
        if claimed is not None and claimed not in _ALSO.get(self.format, {self.format}):
            self.notes.append(f"{name}: this is {self.format.name}, not {claimed.name}. Read as {self.format.name}.")

    @property
    def parser_format(self) -> RdfFormat:
        """The format to parse with: TriG for N-Triples and Turtle too, since it contains them."""
        return RdfFormat.TRIG if self.format in _ALSO else self.format

    @contextmanager
    def open(self, progress: Callable[[int], None] | None = None) -> Iterator[ContentReader]:
        """Open the unpacked bytes; parser errors inside the block are raised as DataError with file and line.

        `progress` is called with the number of unpacked bytes of every read.

        Raises
        ------
        DataError
            If the content does not parse, or is not what an earlier `open` read.
        """
        try:
            with open_content(self.path, progress) as reader:
                yield reader
                reader.read()
                digest = reader.hexdigest()
        except SyntaxError as error:
            raise DataError(f"{self.path}: {_explain(error, self.format)}") from error
        except UnicodeDecodeError as error:
            raise DataError(f"{self.path}: {_NOT_UTF8}") from error
        if self.sha256 not in {"", digest}:
            raise DataError(f"{self.path}: has changed while it was used; start again")
        self.sha256 = digest

    def quads(self) -> Iterator[Quad]:
        """Yield the statements, terms as written (Oxigraph's store would rewrite literals)."""
        with self.open() as reader:
            yield from parse(cast(IO[bytes], reader), self.parser_format)


_NOT_UTF8 = "is not UTF-8; convert it first, for instance: iconv -f ISO-8859-1 -t UTF-8 FILE > NEW"


def _require_utf8(head: bytes) -> bytes:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
            raise DataError("is UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE > NEW") from error
        if error.start < len(head) - 4:
            line = head[: error.start].count(b"\n") + 1
            raise DataError(f"line {line}: byte 0x{head[error.start]:02x} {_NOT_UTF8}") from error
    if b"\x00" in head:
        raise DataError("holds NUL bytes; it is no text file, so no RDF")
    return head


def _refuse_entity_expansion(head: bytes) -> None:
    """Refuse XML entities that read files or grow; short ones, as OWL files use for namespaces, are fine."""
    prolog = re.sub(r"<!--.*?-->|<\?.*?\?>", "", head.decode("utf-8", "replace"), flags=re.DOTALL).lstrip("\ufeff \t\r\n")
    if re.match(r"<!--|<\?|$|<!DOCTYPE[^\[>]*\[[^\]]*$", prolog):
        raise DataError(f"what stands before the XML root element is longer than {_HEAD:,} bytes; shorten it")
    doctype = prolog.partition("<!DOCTYPE")[2]
    values: dict[str, str] = {}
    for parameter, name, double, single, external in _ENTITY.findall(doctype):
        if parameter or external:
            raise DataError(f"the XML entity {name!r} is external or a parameter entity; write its value in the file")
        values[name] = double or single
    for name in values:
        if _expanded_length(name, values, ()) > _MAX_ENTITY:
            raise DataError(
                f"the XML entity {name!r} expands to more than {_MAX_ENTITY} characters; "
                "such files can fill the memory. Write its value in place of it"
            )


def _expanded_length(name: str, values: dict[str, str], above: tuple[str, ...]) -> int:
    """Return the length of an entity with the entities in it replaced; too long as soon as it is known to be."""
    if name in above:
        return _MAX_ENTITY + 1
    length = len(values[name])
    for inner in re.findall(r"&([^;&\s]+);", values[name]):
        if inner in values:
            length += _expanded_length(inner, values, (*above, name))
        if length > _MAX_ENTITY:
            break
    return length


def _explain(error: SyntaxError, format_: RdfFormat) -> str:
    message = str(error.msg).split("\n")[0].strip()
    message = re.sub(r"^Parser error at ", "", re.sub(r" \(line \d+\)$", "", message))
    if "utf-8" in message.lower():
        return f"{message}: the file {_NOT_UTF8}"
    if "LoadDocumentCallback" in message:
        return "its JSON-LD @context is on the web, which is not fetched; put the context into the file"
    if "No scheme found" in message:
        return f"{message}: relative IRIs need a base; add '@base <http://...> .' at the top"
    return f"does not read as {format_.name}: {message}"
