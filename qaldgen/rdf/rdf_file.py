"""Read RDF files: the syntax is recognised by content, and terms are kept as written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from pyoxigraph import Literal, NamedNode, Quad, QuadParser, RdfFormat, parse

from qaldgen.errors import DataError
from qaldgen.io.text import few_and_more, one_line
from qaldgen.io.unpacking import ContentReader, content_name, open_content
from qaldgen.rdf.terms import PREFIXES, TEXT_PROPERTIES, prefixed

NOT_UTF8 = "is not UTF-8; convert it first, for instance: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW"
#: What the parser says of bytes that are not UTF-8, and of relative IRIs without a base.
_ENCODING = re.compile(r"Invalid UTF-8|using UTF-8")
_NO_BASE = "No scheme found in an absolute IRI"
#: A context that JSON-LD names by its address, alone or in a list.
_CONTEXT = re.compile(rb'"@context"\s*:\s*(?:\[\s*(?:\{[^{}]*\}\s*,\s*)*)?"')
_TEXT = NamedNode(TEXT_PROPERTIES[0])
#: The types of texts.
_TEXTS = {prefixed("xsd:string").value, prefixed("rdf:langString").value}
#: The format is recognised by this many bytes.
_HEAD_BYTES = 2**20
#: The longest XML entity; those of OWL files are namespaces.
_MAX_ENTITY_CHARS = 1000
#: A subject or object of N-Triples.
_TERM = rb'(?:<[^<>"{}|^`\\\x00-\x20]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)'
#: A statement of N-Triples or N-Quads on its line.
_LINE = re.compile(
    rb"^%s[ \t]*<[^>]*>[ \t]*%s[ \t]*(?P<graph>(?:<[^>]*>|_:\S+)[ \t]*)?\.[ \t]*(?:#.*)?$"
    % (_TERM, _TERM)
)
_XML = re.compile(
    rb"<\?xml|<!DOCTYPE|<!--|<[\w.-]+:?RDF[\s>]|<html[\s>]|<[\w.-]+(?::[\w.-]+)?\s+[\w.:-]+\s*=",
    re.IGNORECASE,
)
_ROOT = re.compile(rb"<([\w.-]+(?::[\w.-]+)?)\s*>")
_BOM = b"\xef\xbb\xbf"
_ENTITY = re.compile(
    rb"""<!ENTITY\s+([A-Za-z_][\w.:-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>""", re.IGNORECASE
)
#: A reference to an entity that XML does not define itself.
_REFERENCE = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
_EXTERNAL = re.compile(rb"<!ENTITY\s+(?:%\s*([^\s]+)|([^\s]+)\s+(?:SYSTEM|PUBLIC))", re.IGNORECASE)
#: A declaration may straddle two reads: this much of the first one is kept.
_MAX_DECLARATION_BYTES = 8 * _MAX_ENTITY_CHARS
_FORMATS_BY_SUFFIX = {
    "nt": RdfFormat.N_TRIPLES, "nq": RdfFormat.N_QUADS, "ttl": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG, "rdf": RdfFormat.RDF_XML, "owl": RdfFormat.RDF_XML,
    "xml": RdfFormat.RDF_XML, "jsonld": RdfFormat.JSON_LD,
}  # fmt: skip
#: Formats with further suitable suffixes: every N-Triples file is Turtle, every Turtle file TriG.
_SUITABLE = {
    RdfFormat.N_TRIPLES: {RdfFormat.N_TRIPLES, RdfFormat.N_QUADS, RdfFormat.TURTLE, RdfFormat.TRIG},
    RdfFormat.TURTLE: {RdfFormat.TURTLE, RdfFormat.TRIG},
}


def syntax_problem(path: Path, format_: RdfFormat, error: SyntaxError) -> str:
    """Return the problem of a file that the parser rejects, and what to do."""
    message = str(error.msg).partition("\n")[0].strip()
    message = re.sub(r"^Parser error at ", "", re.sub(r" \(line \d+\)$", "", message))
    if _ENCODING.search(message):
        return f"{message}: the file {NOT_UTF8}"
    if format_ == RdfFormat.JSON_LD:
        with open_content(path) as reader:
            content = reader.read()
        if _CONTEXT.search(content):
            return (
                "its JSON-LD @context is remote and is not downloaded; put the context into the"
                " file"
            )
    if message.endswith(_NO_BASE):
        return f"{message}: relative IRIs need a base; add '@base <http://...> .' at the top"
    is_table = may_be_records(path)
    advice = "; 'qaldgen annotate' makes RDF of a question set" if is_table else ""
    return f"is not valid {format_.name}: {one_line(message)}{advice}"


def may_be_records(path: Path) -> bool:
    """Return whether a file is a table or records by its name."""
    return content_name(path).lower().endswith((".jsonl", ".json", ".csv", ".tsv", ".txt"))


def sniff(head: bytes) -> RdfFormat:
    """Return the RDF format of a file, judging by its first bytes.

    The first statement distinguishes N-Triples from Turtle, and a fourth term N-Quads. Anything
    that looks like neither XML nor JSON counts as Turtle or TriG, whose parser then says what is
    wrong with it.
    """
    text = head.removeprefix(_BOM).lstrip()
    root = _ROOT.match(text)
    if _XML.match(text) or (root and b"</%s>" % root[1] in text):
        if re.search(rb"<!DOCTYPE\s+html|<html[\s>]", text[:2000], re.IGNORECASE):
            raise DataError(
                "this is an HTML page, not RDF; download the file "
                "itself instead of the page about it"
            )
        return RdfFormat.RDF_XML

    if re.match(rb'\{\s*("|\})|\[\s*\{\s*"|\[\s*\]\s*$', text):
        return RdfFormat.JSON_LD

    if len(head) >= _HEAD_BYTES:
        text = text[: text.rfind(b"\n")]  # without the last line, which is cut
    lines = (line.strip() for line in text.splitlines())
    matches = (_LINE.match(line) for line in lines if line and not line.startswith(b"#"))
    first = next(matches, None)
    if first is None:
        return RdfFormat.TURTLE
    if first["graph"] or any(match and match["graph"] for match in matches):
        return RdfFormat.N_QUADS
    return RdfFormat.N_TRIPLES


class RdfFile:
    """An RDF file, its format and, once it has been read to the end, the sha256 of its content.

    `text_property` is the property with the texts of questions in a vocabulary of its own: an IRI,
    or a name with a prefix of the file or of `PREFIXES`.
    """

    def __init__(self, path: Path, text_property: str = "") -> None:
        self.path = path
        self._text_property = text_property
        self.sha256 = ""
        self.notes: list[str] = []

        with open_content(path) as reader:
            name = reader.name
            head = reader.peek(_HEAD_BYTES)
            if not head.strip():
                raise DataError("is empty; expected question features as RDF", where=path)
            try:
                self.format = sniff(_require_utf8(head))
                if self.format == RdfFormat.RDF_XML:
                    _refuse_entity_expansion(reader)
            except DataError as error:
                raise DataError(error.text, where=path) from error

        suffix_format = _FORMATS_BY_SUFFIX.get(name.rsplit(".", 1)[-1].lower())
        suitable = _SUITABLE.get(self.format, {self.format})
        if suffix_format is not None and suffix_format not in suitable:
            self.notes.append(
                f"{name}: this is {self.format.name}, not {suffix_format.name}. Read as"
                f" {self.format.name}."
            )

    @property
    def parser_format(self) -> RdfFormat:
        """The format to parse with: TriG for N-Triples and Turtle too, since it contains them."""
        if self.format in _SUITABLE:
            return RdfFormat.TRIG
        return self.format

    @contextmanager
    def open(self, progress: Callable[[int], None] | None = None) -> Iterator[ContentReader]:
        """Open the unpacked bytes; a parser's error inside becomes a DataError with the line."""
        try:
            with open_content(self.path, progress) as reader:
                reader.skip(_BOM)
                yield reader
                reader.read()
                digest = reader.hexdigest()
        except SyntaxError as error:
            problem = syntax_problem(self.path, self.format, error)
            raise DataError(problem, where=self.path) from error
        except UnicodeDecodeError as error:
            raise DataError(NOT_UTF8, where=self.path) from error
        except MemoryError as error:
            if not error.args:  # Python's own error has none: the memory really is full
                raise
            raise DataError(
                "a literal or name is longer than 16 MB, the limit of the parser; shorten it",
                where=self.path,
            ) from error
        if self.sha256 not in {"", digest}:
            raise DataError("changed while it was in use; start again", where=self.path)
        self.sha256 = digest

    def quads(self, progress: Callable[[int], None] | None = None) -> Iterator[Quad]:
        """Yield the statements, terms as written (Oxigraph's store would rewrite literals).

        With a text property, each text is also yielded as a ``qaldgen:text`` of its subject.
        """
        with self.open(progress) as reader:
            parser = parse(cast(IO[bytes], reader), self.parser_format)
            if self._text_property:
                yield from self._add_texts(parser)
            else:
                yield from parser

    def _add_texts(self, parser: QuadParser) -> Iterator[Quad]:
        """Yield statements, and each text of the text property as a ``qaldgen:text`` as well.

        Other properties of texts are left out. The prefixes of a file are known as far as it is
        read.
        """
        prefix, _, local = self._text_property.partition(":")
        text_iri = self._text_property
        text_counts = Counter[str]()

        for quad in parser:
            name = quad.predicate.value
            prefixes = PREFIXES | parser.prefixes
            if prefix in prefixes:
                text_iri = prefixes[prefix] + local
            if name == text_iri or name not in TEXT_PROPERTIES:
                yield quad
            if isinstance(quad.object, Literal) and quad.object.datatype.value in _TEXTS:
                text_counts[name] += 1
                if name == text_iri:
                    yield Quad(quad.subject, _TEXT, quad.object, quad.graph_name)

        if text_iri not in text_counts:
            properties = [f"<{name}> ({number:,})" for name, number in text_counts.most_common()]
            property_list = few_and_more(properties) or "no property"
            raise DataError(
                f"no subject has a text at <{text_iri}>; give the whole IRI of the property with"
                f" the questions. Texts are at {property_list}",
                where=self.path,
            )


def _require_utf8(head: bytes) -> bytes:
    """Return the first bytes of a file; refuse bytes that are not UTF-8."""
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise DataError(
            "is UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE > NEW"
        )
    if b"\x00" in head:
        raise DataError("contains NUL bytes, so it is not RDF text")
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # a character may be cut at the end of the head, which is not an error
        if error.start < len(head) - 4 or len(head) < _HEAD_BYTES:
            line = head[: error.start].count(b"\n") + 1
            raise DataError(f"line {line}: byte 0x{head[error.start]:02x} {NOT_UTF8}") from error
    return head


def _refuse_entity_expansion(reader: ContentReader) -> None:
    """Reject XML entities that read files or may expand enormously.

    A short entity is fine. It may name one other entity if all entities together are short, as in
    OWL files.
    """
    text = b""
    chunk = b" "
    total_chars = 0
    has_references = False

    while chunk:
        chunk = reader.read(_HEAD_BYTES)
        text = text[-_MAX_DECLARATION_BYTES:] + chunk
        for match in re.finditer(rb"<!ENTITY", text, re.IGNORECASE):
            declaration = text[match.start() : match.start() + _MAX_DECLARATION_BYTES]
            if chunk and len(declaration) < _MAX_DECLARATION_BYTES:
                continue  # it may be cut here; the next round has it with the next chunk

            name, value = _parse_entity(declaration)
            n_references = len(_REFERENCE.findall(value))
            total_chars += len(value)
            has_references = has_references or n_references > 0
            n_chars = total_chars if has_references else len(value)
            if n_references > 1 or n_chars > _MAX_ENTITY_CHARS:
                raise DataError(
                    f"the XML entity {_quote(name)} may expand to more than {_MAX_ENTITY_CHARS}"
                    " characters; such files can exhaust the memory. Replace it by its value"
                )


def _parse_entity(declaration: bytes) -> tuple[bytes, str]:
    """Return name and value of an entity; a value that cannot be parsed counts as too long."""
    external = _EXTERNAL.match(declaration)
    if external is not None:
        name = _quote(external[1] or external[2])
        raise DataError(
            f"the XML entity {name} is external or a parameter entity; write its value in the file"
        )
    match = _ENTITY.match(declaration)
    if match is None:
        words = declaration.split(None, 2)
        return (words[1] if len(words) > 1 else b""), " " * (_MAX_ENTITY_CHARS + 1)
    return match[1], (match[2] or match[3] or b"").decode("utf-8", "replace")


def _quote(name: bytes) -> str:
    """Return a name in quotes, for messages."""
    return repr(name.decode("utf-8", "replace"))
