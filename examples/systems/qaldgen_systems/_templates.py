"""`templates`: patterns of questions and what SPARQL makes of them.

A question that fits no pattern gets no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from qaldgen_systems import _list_templates as lists
from qaldgen_systems import _truth_templates as truth
from qaldgen_systems._forms import Form, form_of
from qaldgen_systems._graph import GraphIndex

_LONGEST = 200
_BE = r"^(?:is|are|was|were|does|do|did|has|have)\b"

#: What is tried, from the special to the general: a pattern of words and slots (e entity, c class,
#: r relation), and what makes the query. The first that gives a query counts.
PATTERNS: dict[str, Callable[[GraphIndex, Form, re.Match[str]], str]] = {
    rf"{_BE}.*?(?P<one>e\d+)(?P<words>.*) than .*?(?P<other>e\d+|\d+(?:\.\d+)?)": truth.compared,
    rf"{_BE}.*?(?P<one>e\d+).* (?P<order>before|after) .*?(?P<other>e\d+)": truth.earlier,
    rf"{_BE}.*?(?P<one>e\d+) and (?P<other>e\d+).*?(?P<relation>r\d+).* (?:same|common)": (
        truth.same
    ),
    rf"{_BE}(?: the)? (?P<one>e\d+)(?: \w+)* an? (?P<class>c\d+)$": truth.is_class,
    rf"{_BE}.*?(?P<one>e\d+).*?(?P<other>e\d+)": truth.related,
    r"\b(?P<how>average|mean|total|combined|altogether)\b": lists.whole,
    r"\bboth an? (?P<one>c\d+) and an? (?P<other>c\d+)": lists.of_both_classes,
    r"at least (?P<number>\d+) (?P<what>[rc][1-9])": lists.at_least,
    r"(?P<number>\d+) (?:\w+ )?(?P<what>[rc][1-9]).* or more": lists.at_least,
    r"(?:most|(?:largest|greatest|highest) number of) (?P<what>[rc]\d+)": lists.most_of,
    r"st\b": lists.superlative,
    r"\b(?P<words>\w+(?: \w+)?) than (?:the )?(?P<other>e\d+|\d+(?:\.\d+)?)\b(?P<after>.*)": (
        lists.limit
    ),
    r"\b(?P<order>before|after|since|between|in|year) (?:the year )?(?P<year>\d{4})\b(?: and "
    r"(?P<until>\d{4}))?": (lists.dated),
    r"\b(?:not|neither|no)\b": lists.all_but,
    r"^(?:in )?how many\b|^count\b|number of": lists.linked_members,
    r"(?P<relation>[rc]\d+)(?: \w+)? of (?:the )?(?:(?P<inner>r\d+) of (?:the )?)?(?P<one>e\d+)": (
        lists.value
    ),
    r"(?P<one>e\d+) (?P<relation>r\d+)(?P<inner>)": lists.value,
    r"^how (?P<word>\w+) (?:is|was|are|does)\b.*?(?P<one>e\d+)": lists.how_much,
    r"c\d+ (?:in|of|by|from) (?:the )?e\d+$|e\d+ c\d+$": lists.linked_members,
}
# ASCII: no digits but those that SPARQL reads
_COMPILED = [(re.compile(pattern, re.ASCII), make) for pattern, make in PATTERNS.items()]


def templates(graph: GraphIndex, text: str) -> str:
    """Return the query of the first pattern that a question fits and that the graph has data for.

    Empty if there is none.

    A text of more than 200 words fits no pattern.
    """
    form = form_of(graph, text)
    if len(form.reading.words) > _LONGEST:
        return ""
    fitting = ((make, found) for pattern, make in _COMPILED if (found := pattern.search(form.text)))
    return next((query for make, found in fitting if (query := make(graph, form, found))), "")
