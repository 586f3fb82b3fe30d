"""Which IRIs GERBIL takes for one thing without the network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote_plus

from qaldgen.questions.gerbil import is_gerbil_iri

#: The languages whose DBpedia resources and Wikipedia pages count as the same.
_LANGUAGES = (
    "bg", "ca", "cs", "de", "es", "eu", "fr", "hu", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru",
    "tr",
)  # fmt: skip
_BRIDGES = {
    "dbpedia.org": ("/resource/", "http://en.wikipedia.org/wiki/"),
    "en.wikipedia.org": ("/wiki/", "http://dbpedia.org/resource/"),
    **{
        f"{tag}.dbpedia.org": ("/resource/", f"http://{tag}.wikipedia.org/wiki/")
        for tag in _LANGUAGES
    },
    **{
        f"{tag}.wikipedia.org": ("/wiki/", f"http://{tag}.dbpedia.org/resource/")
        for tag in _LANGUAGES
    },
}
#: A domain that GERBIL rewrites to dbpedia.org.
_WRONG_DOMAIN = "en.dbpedia.org"
#: A domain whose IRIs GERBIL drops.
_FILTERED_DOMAIN = "data.nytimes.com"
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
#: A segment that is encoded as itself.
_PLAIN = re.compile(r"[A-Za-z0-9_.*-]+")
#: Java accepts a sign, and digits of any script, in a hexadecimal number.
_BYTE = r"(?:[\dA-Fa-f]{2}|\+[\dA-Fa-f])"


@lru_cache(1 << 16)
def same_uris(uri: str) -> frozenset[str]:
    """Return an IRI and all equivalents that GERBIL finds without the network.

    GERBIL goes on from each IRI to: ``dbpedia.org`` for ``en.dbpedia.org``; the last segment of the
    path or fragment decoded if it has an escape, otherwise encoded; the same page of Wikipedia or
    resource of DBpedia, for English and 17 more languages.

    >>> sorted(same_uris("https://dbpedia.org/resource/Ann"))
    ['http://dbpedia.org/resource/Ann', 'http://en.wikipedia.org/wiki/Ann', \
'https://dbpedia.org/resource/Ann']
    """
    same = {uri}
    waiting = [uri]
    while waiting:
        for equivalent in _equivalents(waiting.pop()):
            if equivalent not in same and _domain(equivalent) != _FILTERED_DOMAIN:
                same.add(equivalent)
                waiting.append(equivalent)
    return frozenset(same)


def _equivalents(uri: str) -> list[str]:
    """Return the equivalents to which GERBIL goes on from an IRI."""
    equivalents = []
    domain = _domain(uri)
    if domain == _WRONG_DOMAIN:
        equivalents.append(uri.replace(_WRONG_DOMAIN, "dbpedia.org"))
    if domain in _BRIDGES:
        path, target = _BRIDGES[domain]
        uri_path = uri.partition(domain)[2]
        if uri_path.startswith(path):
            equivalents.append(target + uri_path.removeprefix(path))

    start = max(uri.rfind("/"), uri.rfind("#")) + 1
    if not start:
        return equivalents

    segment = uri[start:]
    if _PLAIN.fullmatch(segment):
        return equivalents
    if not _ESCAPE.search(segment):  # encoded as by java.net.URLEncoder
        encoded = quote_plus(segment, safe="*", errors="replace").replace("~", "%7E")
        equivalents.append(uri[:start] + encoded)
    elif not re.search(rf"%(?!{_BYTE})", segment):  # or decoded as by java.net.URLDecoder
        equivalents.append(uri[:start] + re.sub(rf"\+|(?:%{_BYTE})+", _decode, segment))
    return equivalents


def _domain(uri: str) -> str:
    without_scheme = uri.split("://", maxsplit=1)[-1]
    return without_scheme.partition("/")[0].partition(":")[0]


def _decode(match: re.Match[str]) -> str:
    """Decode ``+`` or a run of escapes; Java reads half a surrogate as one broken character."""
    run = bytes(int(byte, 16) for byte in match[0].split("%")[1:])
    return re.sub(rb"\xed[\xa0-\xbf][\x80-\xbf]?", b"\xff", run).decode(errors="replace") or " "


def same_to_gerbil(values: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of gold IRIs that GERBIL treats as one, so that only the first can match.

    >>> same_to_gerbil(["http://dbpedia.org/resource/Ulm", "http://en.wikipedia.org/wiki/Ulm"])
    [('http://dbpedia.org/resource/Ulm', 'http://en.wikipedia.org/wiki/Ulm')]
    """
    distinct = dict.fromkeys(values)
    if len(distinct) < 2 or not all(map(is_gerbil_iri, distinct)):
        return []
    # equivalence is transitive, so the set of equivalent URIs identifies the thing
    first_by_thing: dict[frozenset[str], str] = {}
    pairs = []
    for iri in distinct:
        first = first_by_thing.setdefault(same_uris(iri), iri)
        if first != iri:
            pairs.append((first, iri))
    return pairs
