"""RDF files.

The syntax is told by content, terms stay as written, and what is no RDF is refused in one line.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat

from qaldgen.io import unpacking
from qaldgen.rdf.rdf_file import RdfFile, sniff

Refused = Callable[..., str]

X = "http://x.org/"
NT = b'<http://x.org/q1> <http://x.org/length> "009"^^<http://www.w3.org/2001/XMLSchema#int> .\n'
NQ = NT.replace(b" .\n", b" <http://x.org/g> .\n")
TURTLE = (
    b"@prefix : <http://x.org/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n:q1 :length"
    b' "009"^^xsd:int .\n'
)
TRIG = TURTLE.replace(b":q1 ", b":g { :q1 ").replace(b"int .", b"int . }")
RDF_START = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x.org/">'
)
RDF_BODY = (
    b'<rdf:Description rdf:about="http://x.org/q1"><length'
    b' rdf:datatype="http://www.w3.org/2001/XMLSchema#int">009</length></rdf:Description></rdf:RDF>'
)
RDF_XML = b'<?xml version="1.0"?>\n' + RDF_START + RDF_BODY
JSON_LD = (
    b'{"@id": "http://x.org/q1", "http://x.org/length": {"@value": "009", "@type":'
    b' "http://www.w3.org/2001/XMLSchema#int"}}'
)
SYNTAXES = {
    "N-Triples": (RdfFormat.N_TRIPLES, NT),
    "N-Quads": (RdfFormat.N_QUADS, NQ),
    "Turtle": (RdfFormat.TURTLE, TURTLE),
    "TriG": (RdfFormat.TURTLE, TRIG),
    "RDF/XML": (RdfFormat.RDF_XML, RDF_XML),
    "JSON-LD": (RdfFormat.JSON_LD, JSON_LD),
}
ENDINGS = ["nt", "nq", "ttl", "trig", "rdf", "owl", "xml", "jsonld", "json", "txt", ""]
each_syntax = pytest.mark.parametrize(("expected", "data"), SYNTAXES.values(), ids=SYNTAXES.keys())


def put(folder: Path, data: bytes, name: str = "data.ttl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def triples(path: Path) -> list[str]:
    """Return the statements of a file as text, without their graphs."""
    return [f"{quad.subject} {quad.predicate} {quad.object}" for quad in RdfFile(path).quads()]


def read_all(path: Path) -> None:
    triples(path)


def xml(prologue: str, value: str) -> bytes:
    """RDF/XML with one statement, whose object is `value`."""
    body = (
        RDF_START.decode()
        + f'<rdf:Description rdf:about="http://x.org/q1"><p>{value}</p></rdf:Description></rdf:RDF>'
    )
    return f'<?xml version="1.0"?>\n{prologue}{body}'.encode()


ONE = [NT.decode().removesuffix(" .\n")]


@each_syntax
def test_syntax_is_told_by_content_whatever_the_ending(
    tmp_path: Path, expected: RdfFormat, data: bytes
) -> None:
    for ending in ENDINGS:
        path = put(tmp_path, data, f"data.{ending}")
        assert RdfFile(path).format == expected, ending
        assert triples(path) == ONE, ending


@each_syntax
def test_packed_file_is_told_by_content(tmp_path: Path, expected: RdfFormat, data: bytes) -> None:
    path = put(tmp_path, gzip.compress(data), "data.ttl")
    assert RdfFile(path).format == expected
    assert triples(path) == ONE


@pytest.mark.parametrize(
    ("name", "data", "note"),
    [
        ("a.nt", TURTLE, "a.nt: this is Turtle, not N-Triples. Read as Turtle."),
        ("a.nt", NQ, "a.nt: this is N-Quads, not N-Triples. Read as N-Quads."),
        ("a.ttl", RDF_XML, "a.ttl: this is RDF/XML, not Turtle. Read as RDF/XML."),
        ("a.owl", JSON_LD, "a.owl: this is JSON-LD, not RDF/XML. Read as JSON-LD."),
        ("a.jsonld", NT, "a.jsonld: this is N-Triples, not JSON-LD. Read as N-Triples."),
        ("A.TTL", RDF_XML, "A.TTL: this is RDF/XML, not Turtle. Read as RDF/XML."),
    ],
)
def test_misleading_ending_is_noted(tmp_path: Path, name: str, data: bytes, note: str) -> None:
    assert RdfFile(put(tmp_path, data, name)).notes == [note]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.nt", NT), ("a.nq", NT), ("a.ttl", NT), ("a.trig", NT), ("a.nq", NQ), ("a.ttl", TURTLE),
        ("a.trig", TURTLE), ("a.trig", TRIG), ("a.rdf", RDF_XML), ("a.owl", RDF_XML),
        ("a.xml", RDF_XML), ("a.jsonld", JSON_LD), ("a.json", JSON_LD), ("a", RDF_XML),
        ("a.txt", TURTLE),
    ],
)  # fmt: skip
def test_ending_that_is_right_or_says_nothing_is_not_noted(
    tmp_path: Path, name: str, data: bytes
) -> None:
    assert RdfFile(put(tmp_path, data, name)).notes == []


def test_ending_inside_a_zip_counts(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inner.nt", TURTLE)
    notes = RdfFile(put(tmp_path, buffer.getvalue(), "outer.zip")).notes
    assert notes == ["inner.nt: this is Turtle, not N-Triples. Read as Turtle."]


def test_ending_before_the_packing_counts(tmp_path: Path) -> None:
    notes = RdfFile(put(tmp_path, gzip.compress(TURTLE), "data.nt.gz")).notes
    assert notes == ["data.nt: this is Turtle, not N-Triples. Read as Turtle."]


@pytest.mark.parametrize(("expected", "data"), list(SYNTAXES.values()), ids=list(SYNTAXES))
def test_byte_order_mark_is_ignored(tmp_path: Path, expected: RdfFormat, data: bytes) -> None:
    path = put(tmp_path, b"\xef\xbb\xbf" + data)
    assert RdfFile(path).format == expected
    assert triples(path) == ONE


@each_syntax
def test_windows_line_ends_are_read(tmp_path: Path, expected: RdfFormat, data: bytes) -> None:
    path = put(tmp_path, data.replace(b"\n", b"\r\n"))
    assert RdfFile(path).format == expected
    assert triples(path) == ONE


@each_syntax
def test_white_space_in_front_is_ignored_when_the_syntax_is_told(
    expected: RdfFormat, data: bytes
) -> None:
    assert sniff(b"\n \t\r\n" + data) == expected


@pytest.mark.parametrize(
    ("expected", "data"),
    [SYNTAXES["N-Triples"], SYNTAXES["N-Quads"], SYNTAXES["Turtle"]],
    ids=["nt", "nq", "ttl"],
)
def test_comments_before_the_first_statement_are_ignored(
    tmp_path: Path, expected: RdfFormat, data: bytes
) -> None:
    path = put(
        tmp_path,
        b"# <http://x.org/a> <http://x.org/b> <http://x.org/c> <http://x.org/d> .\n\n  # two\n"
        + data,
    )
    assert RdfFile(path).format == expected
    assert triples(path) == ONE


@pytest.mark.parametrize("comment", [b"<!-- <html> is meant -->", b"<!--\n-->\n"])
def test_xml_may_begin_with_a_comment(tmp_path: Path, comment: bytes) -> None:
    path = put(tmp_path, comment.replace(b"<html>", b"this") + RDF_START + RDF_BODY)
    assert RdfFile(path).format == RdfFormat.RDF_XML
    assert triples(path) == ONE


@pytest.mark.parametrize("prefix", [b"rdf", b"RDF", b"r"])
def test_xml_without_declaration_is_told_by_its_root(tmp_path: Path, prefix: bytes) -> None:
    data = (
        (RDF_START + RDF_BODY)
        .replace(b"rdf:", prefix + b":")
        .replace(b"xmlns:rdf", b"xmlns:" + prefix)
    )
    assert triples(put(tmp_path, data)) == ONE


def test_xml_whose_root_is_a_typed_node_is_told_without_declaration(tmp_path: Path) -> None:
    data = (
        b'<e:Question xmlns:e="http://x.org/" '
        b'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        b'rdf:about="http://x.org/q1"><e:length '
        b'rdf:datatype="http://www.w3.org/2001/XMLSchema#int">009</e:length></e:Question>'
    )
    assert sniff(data) == RdfFormat.RDF_XML
    assert triples(put(tmp_path, data))[1:] == ONE


@pytest.mark.parametrize(
    "line",
    [
        b"<http://x.org/a> <http://x.org/b> <http://x.org/c> .",
        b"_:a <http://x.org/b> _:c .",
        b'<http://x.org/a> <http://x.org/b> "c d . <e> \\" f"@en-GB .',
        b'<http://x.org/a> <http://x.org/b> "c" . # <http://x.org/g> .',
        b'<http://x.org/a>\t<http://x.org/b>\t"c"\t.',
        b'<http://x.org/a> <http://x.org/b> "c"^^<http://x.org/d>.',
    ],
)
def test_three_terms_are_n_triples(line: bytes) -> None:
    assert sniff(line + b"\n") == RdfFormat.N_TRIPLES


@pytest.mark.parametrize(
    "line",
    [
        b"<http://x.org/a> <http://x.org/b> <http://x.org/c> <http://x.org/g> .",
        b"_:a <http://x.org/b> _:c _:g .",
        b'<http://x.org/a> <http://x.org/b> "c <d> ."@en <http://x.org/g> .',
        b'<http://x.org/a> <http://x.org/b> "c"^^<http://x.org/d> <http://x.org/g> .',
    ],
)
def test_four_terms_are_n_quads(line: bytes) -> None:
    assert sniff(line + b"\n") == RdfFormat.N_QUADS


def test_n_quads_may_begin_with_a_statement_of_the_default_graph(tmp_path: Path) -> None:
    second = NQ.replace(b"q1", b"q2")
    path = put(tmp_path, NT + second, "data.nq")
    assert [str(quad.graph_name) for quad in RdfFile(path).quads()] == [
        "DEFAULT",
        "<http://x.org/g>",
    ]


def test_n_triples_may_go_on_as_turtle(tmp_path: Path) -> None:
    path = put(tmp_path, NT + b"@prefix : <http://x.org/> .\n:q2 :length 3 .\n")
    assert len(triples(path)) == 2


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ('"009"^^xsd:int', '"009"^^<http://www.w3.org/2001/XMLSchema#int>'),
        ('"1"^^xsd:boolean', '"1"^^<http://www.w3.org/2001/XMLSchema#boolean>'),
        ('"1.50"^^xsd:decimal', '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ("1.50", '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ('"abc"^^xsd:int', '"abc"^^<http://www.w3.org/2001/XMLSchema#int>'),
        ('"Wer?"@de', '"Wer?"@de'),
        ('"  a  b "', '"  a  b "'),
        ('"2012-1-1"^^xsd:date', '"2012-1-1"^^<http://www.w3.org/2001/XMLSchema#date>'),
    ],
)
def test_literals_stay_as_written(tmp_path: Path, written: str, kept: str) -> None:
    data = f"@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n<{X}q> <{X}p> {written} ."
    assert triples(put(tmp_path, data.encode())) == [f"<{X}q> <{X}p> {kept}"]


def test_statements_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [f"<{X}q{i}> <{X}p> <{X}o> ." for i in (3, 1, 2)]
    assert [line[:18] for line in triples(put(tmp_path, "\n".join(lines).encode()))] == [
        f"<{X}q{i}> " for i in (3, 1, 2)
    ]


def test_trig_keeps_the_names_of_graphs(tmp_path: Path) -> None:
    assert [str(quad.graph_name) for quad in RdfFile(put(tmp_path, TRIG)).quads()] == [
        "<http://x.org/g>"
    ]


@pytest.mark.parametrize(
    "data", [b"", b" \n\t\r\n", gzip.compress(b"", mtime=0), gzip.compress(b"\n\n", mtime=0)]
)
def test_empty_file_is_refused(tmp_path: Path, refused: Refused, data: bytes) -> None:
    path = put(tmp_path, data)
    assert refused(lambda: RdfFile(path)) == f"{path}: is empty; expected question features as RDF"


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE html><html><body>404</body></html>",
        b"<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n<HTML>",
        b"<html lang='en'><head>",
        b"\n\n<HTML>",
        b"<!-- cached --><html>",
        b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"/>',
        b"\xef\xbb\xbf<!DOCTYPE html>",
    ],
)
def test_html_page_is_refused_as_such(tmp_path: Path, refused: Refused, data: bytes) -> None:
    path = put(tmp_path, data)
    message = refused(lambda: RdfFile(path))
    assert (
        message == f"{path}: this is an HTML page, not RDF; download the "
        "file itself instead of the page about it"
    )


def test_rdf_that_speaks_of_html_is_no_html_page(tmp_path: Path) -> None:
    assert len(triples(put(tmp_path, f'<{X}q> <{X}p> "<html> <!DOCTYPE html>" .'.encode()))) == 1


@pytest.mark.parametrize("ending", ["ttl", "nt", "rdf", "jsonld"])
@pytest.mark.parametrize(
    "data",
    [
        b"Hello world, this is plain text.",
        b"id,length\n1,2\n",
        b'"just a string"',
        b"[1, 2]",
        b'<?xml version="1.0"?><foo><bar/></foo>',
        b'<foo id="1"><bar/></foo>',
        b'{"a": ',
        b'{"@id": 5}',
    ],
)
def test_what_is_no_rdf_is_refused(
    tmp_path: Path, refused: Refused, data: bytes, ending: str
) -> None:
    path = put(tmp_path, data, f"data.{ending}")
    assert refused(lambda: read_all(path)).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "data", [b'<foo id="1"><bar/></foo>', b'<?xml version="1.0"?><foo id="1"><bar/></foo>']
)
def test_xml_without_rdf_is_called_xml(tmp_path: Path, refused: Refused, data: bytes) -> None:
    path = put(tmp_path, data)
    message = refused(lambda: read_all(path))
    assert "XML" in message
    assert "@base" not in message


def test_error_names_the_line(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, NT * 41 + b"<http://x.org/q> nonsense .\n")
    message = refused(lambda: read_all(path))
    assert message.startswith(f"{path}: is not valid ")
    assert ": line 42 between columns 18 and 26: " in message


@pytest.mark.parametrize("data", [b'{"a": 1}', b"{}", b"[]", b'[\n{"a": [1, 2]}]'])
def test_json_without_linked_data_holds_no_statement(tmp_path: Path, data: bytes) -> None:
    path = put(tmp_path, data, "data.json")
    assert RdfFile(path).format == RdfFormat.JSON_LD
    assert triples(path) == []


def test_json_ld_context_on_the_web_is_not_fetched(tmp_path: Path, refused: Refused) -> None:
    path = put(
        tmp_path, b'{"@context": "http://127.0.0.1:9/c.jsonld", "@id": "http://x.org/q", "p": 1}'
    )
    message = refused(lambda: read_all(path))
    assert (
        message == f"{path}: its JSON-LD @context is remote and is not "
        "downloaded; put the context into the file"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(tmp_path: Path, refused: Refused, encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    path = put(tmp_path, mark + 'caf\u00e9 "x"'.encode(encoding))
    message = refused(lambda: RdfFile(path))
    assert (
        message
        == f"{path}: is UTF-16, not UTF-8; convert it first: iconv -f UTF-16 -t UTF-8 FILE > NEW"
    )


def test_utf_16_without_a_mark_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, NT.decode().encode("utf-16-le"))
    assert refused(lambda: RdfFile(path)) == f"{path}: contains NUL bytes, so it is not RDF text"


@pytest.mark.parametrize(
    "data", [NT.replace(b"009", b"\xff\x00\xff"), b"\x89PNG\r\n\x1a\n\x00\x00"]
)
def test_binary_file_is_not_taken_for_text_in_another_encoding(
    tmp_path: Path, refused: Refused, data: bytes
) -> None:
    path = put(tmp_path, data)
    assert refused(lambda: RdfFile(path)) == f"{path}: contains NUL bytes, so it is not RDF text"


def test_latin_1_is_refused_with_line_and_byte(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, NT * 2 + f'<{X}q> <{X}p> "caf\u00e9 au lait" .\n'.encode("latin-1"))
    message = refused(lambda: RdfFile(path))
    assert message.startswith(f"{path}: line 3: byte 0xe9 is not UTF-8; convert it first")
    assert "iconv -f WINDOWS-1252 -t UTF-8" in message


@pytest.mark.parametrize(
    "last", [f'<{X}q> <{X}p> "caf\u00e9 au lait" .\n', f'<{X}q> <{X}p> "caf\u00e9".']
)
def test_latin_1_far_down_is_refused_with_its_line(
    tmp_path: Path, refused: Refused, last: str
) -> None:
    lines = 2**20 // len(NT) + 10
    path = put(tmp_path, NT * lines + last.encode("latin-1"))
    message = refused(lambda: read_all(path))
    assert message.startswith(f"{path}: line {lines + 1} ")
    assert "iconv -f WINDOWS-1252 -t UTF-8" in message


def test_xml_in_latin_1_is_refused_even_if_it_says_so(tmp_path: Path, refused: Refused) -> None:
    data = (
        xml("", "caf\u00e9")
        .decode()
        .replace('"1.0"', '"1.0" encoding="ISO-8859-1"')
        .encode("latin-1")
    )
    path = put(tmp_path, data)
    assert "iconv -f WINDOWS-1252 -t UTF-8" in refused(lambda: read_all(path))


def test_character_cut_at_the_end_of_the_first_mebibyte_is_no_error(tmp_path: Path) -> None:
    head = f'<{X}q> <{X}p> "'.encode()
    for shift in range(3):
        text = "a" * shift + "\u20ac" * ((2**20 - len(head)) // 3 + 5)
        path = put(tmp_path, head + text.encode() + b'" .\n', f"{shift}.ttl")
        assert triples(path) == [f'<{X}q> <{X}p> "{text}"']


@pytest.mark.parametrize(
    "data",
    [
        NT + NT[:30],
        NT + NT[:-30],
        NQ + NQ[:60],
        TURTLE[:-3] + b" ;",
        TURTLE[:-12],
        TURTLE[:70],
        TRIG[:-2],
        RDF_XML[:-5],
        RDF_XML[:-30],
        JSON_LD[:-1],
        JSON_LD[:40],
    ],
)
def test_truncated_file_is_refused(tmp_path: Path, refused: Refused, data: bytes) -> None:
    path = put(tmp_path, data)
    assert refused(lambda: read_all(path)).startswith(f"{path}: is not valid ")


def test_relative_iri_without_base_is_refused_with_what_to_add(
    tmp_path: Path, refused: Refused
) -> None:
    path = put(tmp_path, b"<q1> <http://x.org/p> 1 .")
    message = refused(lambda: read_all(path))
    assert message.startswith(f"{path}: line 1 ")
    assert message.endswith("relative IRIs need a base; add '@base <http://...> .' at the top")


def test_relative_iri_with_base_is_read(tmp_path: Path) -> None:
    path = put(tmp_path, b'@base <http://x.org/> .\n<q1> <p> "1" .')
    assert triples(path) == ['<http://x.org/q1> <http://x.org/p> "1"']


def test_undeclared_prefix_is_named(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, b"ex:q1 ex:p 1 .")
    assert "The prefix ex: has not been declared" in refused(lambda: read_all(path))


def laughs(doctype: str, levels: int) -> str:
    """Entities that grow tenfold a level."""
    grown = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(levels))
    return f'<!{doctype} r [<!ENTITY e0 "lollollollol">{grown}]>\n'


@pytest.mark.parametrize("doctype", ["DOCTYPE", "doctype", "Doctype"])
def test_billion_laughs_are_refused(tmp_path: Path, refused: Refused, doctype: str) -> None:
    path = put(tmp_path, xml(laughs(doctype, 3), "&e3;"), "data.rdf")
    message = refused(lambda: RdfFile(path))
    assert message.startswith(f"{path}: the XML entity ")
    assert "may expand to more than 1000 characters" in message
    assert "Replace it by its value" in message


FAR = "x" * 2**20
BOMB = '<!ENTITY big "{}">'.format("x" * 2000)


@pytest.mark.parametrize(
    "prologue",
    [
        f"<!--{FAR}--><!DOCTYPE r [{BOMB}]>",
        f"<?pi {FAR}?><!DOCTYPE r [{BOMB}]>",
        f"<!DOCTYPE r [<!--{FAR}-->{BOMB}]>",
        f'<!DOCTYPE r [<!ENTITY a "]"> {" " * 2**20}{BOMB}]>',
        f"<!DOCTYPE r>{' ' * 2**20}<!DOCTYPE r [{BOMB}]>",
    ],
    ids=["comment", "instruction", "comment-inside", "bracket", "second"],
)
def test_entity_bomb_behind_the_first_mebibyte_is_refused(
    tmp_path: Path, refused: Refused, prologue: str
) -> None:
    path = put(tmp_path, xml(prologue, "&big;"), "data.rdf")
    assert refused(lambda: read_all(path)).startswith(f"{path}: ")


@pytest.mark.parametrize("filler", ["", f"<!--{FAR}-->"], ids=["near", "far"])
def test_entity_bomb_behind_the_root_is_refused(
    tmp_path: Path, refused: Refused, filler: str
) -> None:
    root = RDF_START.decode()
    data = xml("", "&big;").decode().replace(root, f"{root}{filler}<!DOCTYPE r [{BOMB}]>")
    path = put(tmp_path, data.encode(), "data.rdf")
    assert refused(lambda: read_all(path)).startswith(f"{path}: ")


def test_long_comment_before_the_root_without_entities_is_no_bomb(tmp_path: Path) -> None:
    assert triples(put(tmp_path, xml("<!--" + "x" * 5000 + "-->", "1"))) == [f'<{X}q1> <{X}p> "1"']


def test_entity_bomb_behind_entities_defined_anew_is_refused(
    tmp_path: Path, refused: Refused
) -> None:
    doctype = '<!DOCTYPE r [<!ENTITY a "{}"><!ENTITY b "{}"><!ENTITY a "x">]>'.format(
        "x" * 500, "&a;" * 10
    )
    path = put(tmp_path, xml(doctype, "&b;"), "data.rdf")
    assert "may expand to more than 1000 characters" in refused(lambda: RdfFile(path))


@pytest.mark.parametrize(
    "name", ["a%b", "a'b", 'a"b', "n" * 9000], ids=["percent", "apostrophe", "quote", "long"]
)
def test_entity_bomb_with_an_odd_name_is_refused(
    tmp_path: Path, refused: Refused, name: str
) -> None:
    path = put(
        tmp_path, xml(f'<!DOCTYPE r [<!ENTITY {name} "{"x" * 2000}">]>', f"&{name};"), "data.rdf"
    )
    assert "XML entity" in refused(lambda: RdfFile(path))


@pytest.mark.parametrize("gap", [" " * 9000, "\u00a0", "\n\t"], ids=["wide", "no-break", "lines"])
@pytest.mark.parametrize(
    "form", ["<!ENTITY{0}big '{1}'", '<!ENTITY{0}big "{1}"', '<!ENTITY big{0}"{1}"']
)
def test_entity_bomb_with_odd_space_is_refused(
    tmp_path: Path, refused: Refused, form: str, gap: str
) -> None:
    path = put(
        tmp_path, xml(f"<!DOCTYPE r [{form.format(gap, 'x' * 2000)}>]>", "&big;"), "data.rdf"
    )
    assert refused(lambda: read_all(path)).startswith(f"{path}: ")


def test_quadratic_blow_up_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(
        tmp_path,
        xml('<!DOCTYPE r [<!ENTITY a "{}">]>'.format("x" * 50_000), "&a;" * 50),
        "data.rdf",
    )
    message = refused(lambda: RdfFile(path))
    assert message.startswith(f"{path}: the XML entity 'a' may expand to more than 1000 characters")


@pytest.mark.parametrize(("length", "allowed"), [(1000, True), (1001, False)])
def test_entity_of_a_thousand_characters_is_the_longest(
    tmp_path: Path, refused: Refused, length: int, allowed: bool
) -> None:
    path = put(
        tmp_path, xml('<!DOCTYPE r [<!ENTITY a "{}">]>'.format("x" * length), "&a;"), "data.rdf"
    )
    if allowed:
        assert triples(path) == [f'<{X}q1> <{X}p> "{"x" * length}"']
    else:
        assert "XML entity 'a'" in refused(lambda: RdfFile(path))


@pytest.mark.parametrize("value", ["&a;", "x&b;"])
def test_entity_in_a_circle_is_refused(tmp_path: Path, refused: Refused, value: str) -> None:
    path = put(
        tmp_path, xml(f'<!DOCTYPE r [<!ENTITY a "{value}"><!ENTITY b "&a;">]>', "&a;"), "data.rdf"
    )
    assert refused(lambda: read_all(path)).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY secret SYSTEM "file:///etc/passwd">',
        "<!ENTITY secret SYSTEM 'file:///etc/passwd'>",
        '<!ENTITY secret PUBLIC "-//x" "http://127.0.0.1:9/x">',
        '<!ENTITY % secret SYSTEM "http://127.0.0.1:9/x"> %secret;',
        '<!ENTITY % secret "x">',
    ],
)
def test_entity_from_elsewhere_is_refused(
    tmp_path: Path, refused: Refused, declaration: str
) -> None:
    path = put(tmp_path, xml(f"<!DOCTYPE r [{declaration}]>", "&secret;"), "data.rdf")
    message = refused(lambda: RdfFile(path))
    assert (
        message == f"{path}: the XML entity 'secret' is external or a "
        "parameter entity; write its value in the file"
    )


def test_namespace_entities_of_owl_files_are_read(tmp_path: Path) -> None:
    doctype = (
        '<!DOCTYPE rdf:RDF [\n    <!ENTITY x "http://x.org/" >\n    <!ENTITY y "&x;y/" >\n]>\n'
    )
    path = put(
        tmp_path,
        xml(doctype, "1")
        .replace(b'"http://x.org/q1"', b'"&x;q1"')
        .replace(b"<p>", b'<p rdf:datatype="&y;int">'),
    )
    assert triples(path) == [f'<{X}q1> <{X}p> "1"^^<{X}y/int>']


def test_characters_by_number_and_name_are_read(tmp_path: Path) -> None:
    assert triples(put(tmp_path, xml("", "&amp;&lt;&#233;&#x41;"))) == [
        f'<{X}q1> <{X}p> "&<\u00e9A"'
    ]


def test_undefined_entity_is_named(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, xml("", "&nbsp;"), "data.rdf")
    message = refused(lambda: read_all(path))
    assert message.startswith(f"{path}: is not valid RDF/XML: ")
    assert "nbsp" in message


@each_syntax
def test_sha256_is_of_the_unpacked_file_after_it_was_read(
    tmp_path: Path, expected: RdfFormat, data: bytes
) -> None:
    file = RdfFile(put(tmp_path, gzip.compress(data + b"\n\n")))
    assert file.sha256 == ""
    list(file.quads())
    assert file.sha256 == hashlib.sha256(data + b"\n\n").hexdigest()


def test_file_may_be_read_again(tmp_path: Path) -> None:
    file = RdfFile(put(tmp_path, TURTLE))
    assert list(file.quads()) == list(file.quads())


def test_change_between_two_reads_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, TURTLE)
    file = RdfFile(path)
    list(file.quads())
    path.write_bytes(TURTLE + b"# more\n")
    assert (
        refused(lambda: list(file.quads())) == f"{path}: changed while it was in use; start again"
    )


def test_file_removed_between_two_reads_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, TURTLE)
    file = RdfFile(path)
    path.unlink()
    assert refused(lambda: list(file.quads())).startswith(f"{path}: cannot be opened")


def test_bomb_behind_the_first_mebibyte_is_refused(
    tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "ALLOWED_BYTES", 2 * 2**20)
    monkeypatch.setattr(unpacking, "MAX_RATIO", 2)
    path = put(tmp_path, gzip.compress(NT + (b"#" * 99 + b"\n") * 30_000))
    assert f"{path}: expands to more than 2 times its size" in refused(lambda: read_all(path))


def test_archive_cut_behind_the_first_mebibyte_is_refused(tmp_path: Path, refused: Refused) -> None:
    lines = b"".join(
        b"<http://x.org/q%d> <http://x.org/p> <http://x.org/o%d> .\n" % (i, i * i)
        for i in range(40_000)
    )
    path = put(tmp_path, gzip.compress(lines)[:-20])
    RdfFile(path)
    assert f"{path}: the archive is damaged or truncated" in refused(lambda: read_all(path))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (b'<http://x.org/a> <http://x.org/p> "', b'" .\n'),
        (b'[{"@id": "http://x.org/a", "http://x.org/p": "', b'"}]'),
    ],
)
def test_literal_that_is_too_long_for_the_parser_is_called_so(
    tmp_path: Path, refused: Refused, start: bytes, end: bytes
) -> None:
    path = put(tmp_path, start + b"a" * 17_000_000 + end)
    message = refused(lambda: list(RdfFile(path).quads()))
    assert (
        message
        == f"{path}: a literal or name is longer than 16 MB, the limit of the parser; shorten it"
    )


def test_memory_that_is_full_is_called_so(tmp_path: Path) -> None:
    with pytest.raises(MemoryError), RdfFile(put(tmp_path, NT)).open():
        raise MemoryError


def test_relative_iri_is_told_from_other_mistakes(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, b"<a> <http://x.org/p> <http://x.org/o> .\n")
    assert "relative IRIs need a base" in refused(lambda: read_all(path))


def test_other_mistake_has_no_advice_about_a_base(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, b'<http://x.org/s> <http://x.org/p> "No scheme found .\n')
    assert "need a base" not in refused(lambda: read_all(path))


def test_words_of_a_literal_give_no_advice_about_the_encoding(
    tmp_path: Path, refused: Refused
) -> None:
    path = put(tmp_path, b"<http://x.org/s> utf-8:p <http://x.org/o> .\n")
    assert "iconv" not in refused(lambda: read_all(path))


def test_context_on_the_web_is_found_deep_inside(tmp_path: Path, refused: Refused) -> None:

    document = {
        "@graph": [
            {"@context": [{}, "https://x.org/context"], "@id": "http://x.org/s", "name": "a"}
        ]
    }
    path = put(tmp_path, json.dumps(document).encode(), "a.jsonld")
    assert "put the context into the file" in refused(lambda: read_all(path))


@pytest.mark.parametrize(("name", "is_advised"), [
    ("asked.jsonl", True), ("asked.tsv", True), ("asked.ttl", False), ("asked.jsonld", False),
])  # fmt: skip
def test_a_question_set_is_to_be_annotated_first(
    tmp_path: Path, refused: Refused, name: str, is_advised: bool
) -> None:
    path = put(tmp_path, b'{"id": "1", "question": "Kto?"}\n{"id": "2", "question": "Co?"}\n', name)
    assert ("'qaldgen annotate' makes RDF" in refused(lambda: read_all(path))) == is_advised
