"""The evidence about a question, and the features computed from several of its parts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from qaldgen.answers.changes import CHANGES, GOLD_CHANGED
from qaldgen.features.generalisation import LEVELS
from qaldgen.features.query.query_features import FeatureValue
from qaldgen.features.resources import is_explicit_lemma
from qaldgen.features.text.flags import flags
from qaldgen.features.text.languages import LANGUAGES, LabelWithRule
from qaldgen.features.text.letters import QUOTED, ends_of
from qaldgen.features.text.taxonomies import ENTITY_TYPES, TREC_CLASSES
from qaldgen.features.text.words import word_list
from qaldgen.model import Question
from qaldgen.rdf.terms import is_iri

_WORD = re.compile(r"[^\W_]+")
#: Types whose names may be written small, or that are numbers and times.
_ALWAYS_NAMED = frozenset(
    {"day", "year", "century", "count", "quantity", "state", "nationality", "dynasty"}
)
#: With this many gold answers or more, of which the share `_NEARLY_ALL` starts with a capital,
#: capitals are a habit of the set and no evidence for a name.
_MIN_ANSWERS = 10
_NEARLY_ALL = 0.9
#: Texts of up to this many characters are often yes and no, in any language.
_SHORT_CHARS = 3
_ISO_DATE = re.compile(r"[+-]?\d{4,}-\d\d(?:-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)?")
_YEAR = re.compile(r"[12]\d{3}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
#: The classes of complex questions of Mintaka (Sen et al. 2022).
COMPLEXITIES = (
    "count", "comparative", "superlative", "ordinal", "multihop", "intersection", "difference",
    "yesno", "generic",
)  # fmt: skip
#: Our codes by PolQA's labels.
FORMULATIONS = {"question": "plain", "command": "command", "compound": "compound"}
SOUGHT = {
    "single-entity": "single-entity", "multiple-entities": "multiple-entities",
    "entity-choice": "entity-choice", "yes/no": "yes-no", "other-name": "other-name",
    "gap-filling": "gap-filling",
}  # fmt: skip
KINDS = {"named": "named", "unnamed": "unnamed", "yes/no": "yes-no"}
#: By feature, the field of PolQA and our codes by its labels.
_POLQA = {
    "questionFormulation": ("question_formulation", FORMULATIONS),
    "informationSought": ("question_type", SOUGHT),
    "answerEntityKind": ("entity_type", KINDS),
}  # fmt: skip


def capitalised_sets(questions: Iterable[Question]) -> frozenset[str]:
    """Return the data sets in which nearly all gold answers in words begin with a capital.

    >>> from qaldgen.model import Answers
    >>> questions = [
    ...     Question(f"{n}", {}, answers=Answers(texts=(("Butterflies",),)), origin="quiz")
    ...     for n in range(10)
    ... ]
    >>> capitalised_sets(questions)
    frozenset({'quiz'})
    """
    capitals_by_set = defaultdict[str, list[bool]](list)
    for question in questions:
        texts = question.gold.texts
        if not texts or not texts[0]:
            continue
        text = texts[0][0].strip()
        if len(text) > _SHORT_CHARS and text[0].isalpha():
            capitals_by_set[question.origin].append(text[0].isupper())
    return frozenset(
        name
        for name, capitals in capitals_by_set.items()
        if len(capitals) >= _MIN_ANSWERS and fmean(capitals) >= _NEARLY_ALL
    )


def kind_by_rules(
    wordings: Sequence[str],
    language: str,
    *,
    yes_no: bool,
    expected: str = "",
    by_question: str = "",
) -> LabelWithRule:
    """Return the kind of the answer entity that the gold answer shows, and the rule for it.

    The kind is ``named``, ``unnamed`` or ``yes-no``. `by_question` is the kind by the question,
    where capitals are no evidence.

    >>> texts = ("in Ulm", "butterflies", "four", "“Mill”", "by King Karl")
    >>> [kind_by_rules([text], "en", yes_no=False).label for text in texts]
    ['named', 'unnamed', 'named', 'named', 'named']
    """
    if yes_no:
        return LabelWithRule("yes-no", "yes or no is asked for")
    for text in wordings:
        if flags(ends_of(text), language).get("hasNumber"):
            return LabelWithRule("named", "the gold answer has a number")

    first_wording = wordings[0] if wordings else ""
    if QUOTED.fullmatch(first_wording.strip()):
        return LabelWithRule("named", "the gold answer stands in quotation marks")
    if expected in _ALWAYS_NAMED:
        return LabelWithRule("named", f"the question asks for a {expected}")

    skipped = word_list("before a name") if language == "en" else LANGUAGES[language].before_names
    words = _WORD.findall(first_wording)
    name_words = [word for word in words if word.lower() not in skipped] or words
    if name_words and name_words[0][0].isupper():
        if by_question:
            reason = "nearly all gold answers have a capital, so the question decides"
            return LabelWithRule(by_question, reason)
        return LabelWithRule("named", "the gold answer is written with a capital")
    return LabelWithRule("unnamed", "the gold answer has no number and no capital")


#: Features by name: of the text, of the query, or of what the query names.
Group = Mapping[str, FeatureValue]


class Evidence(NamedTuple):
    """The data from which features compute their values.

    Attributes
    ----------
    question : Question
        The question itself, with its gold answers and metadata.
    text, query, resources : mapping of str to value
        The features of its text, of its query, and of what the query names; empty without one.
    capitals : bool
        Whether a capital is evidence for a name; False where nearly all answers of a set have one.
    """

    question: Question
    text: Group
    query: Group
    resources: Group
    capitals: bool = True


FeatureFunction = Callable[[Evidence], FeatureValue | None]


def pick(group: str, name: str) -> FeatureFunction:
    """Return a function that picks a value from a group."""
    return lambda evidence: getattr(evidence, group).get(name)


def read_flag(name: str) -> FeatureFunction:
    """Return a function that reads a yes-or-no field of the data set, such as QALD's `hybrid`."""
    return lambda evidence: evidence.question.flags.get(name)


def read_metadata(*names: str) -> FeatureFunction:
    """Return a function that reads the first non-empty metadata field among these names."""

    def read(evidence: Evidence) -> str | None:
        for name in names:
            text = evidence.question.said(name)
            if text:
                return text
        return None

    return read


def find_explicit_lemma(kind: str, nth: int) -> FeatureFunction:
    """Return a function that says whether the question contains a label, in any inflection."""

    def find(evidence: Evidence) -> bool | None:
        label = evidence.resources.get(f"label{kind}{nth}")
        forms = evidence.text.get("wordForms")
        literally = evidence.resources.get(f"isExplicit{kind}{nth}")
        if not isinstance(label, str) or not isinstance(forms, tuple) or literally is None:
            return None
        return bool(literally) or is_explicit_lemma(label, forms)

    return find


def answer_type(evidence: Evidence) -> str | None:
    """Return the answer type by the query, else by the data, the gold answers or the text."""
    expected = str(evidence.text.get("expectedAnswerType", ""))
    certain_type = str(evidence.query.get("answerType", "")) or evidence.question.answer_type
    answers = evidence.question.answers
    if certain_type or answers is None:
        return certain_type or expected or None
    texts = [wordings[0].strip() for wordings in answers.texts if wordings]
    if texts and not answers.rows:
        # texts of a table may be dates and numbers; a year is a date where a date is expected
        are_years = expected == "date" and all(map(_YEAR.fullmatch, texts))
        if are_years or all(map(_ISO_DATE.fullmatch, texts)):
            return "date"
        if all(map(_NUMBER.fullmatch, texts)):
            return "number"
    return answers.type() or expected or None


def _polqa_code(question: Question, name: str) -> str | None:
    """Return PolQA's label as one of our codes; case, blanks and dashes do not matter."""
    field, codes = _POLQA[name]
    label = "-".join(question.said(field).lower().replace("-", " ").split())
    if label in codes.values():
        return label
    return codes.get(label)


def read_polqa_label(name: str) -> FeatureFunction:
    """Return a function for a class of PolQA's taxonomy: the label of the data or of our rules."""
    return lambda evidence: _polqa_code(evidence.question, name) or evidence.text.get(name)


def _judge_by_gold(evidence: Evidence) -> LabelWithRule | None:
    """Return the answer kind that a gold answer in words shows; None if no rule applies."""
    question = evidence.question
    answers = question.answers
    if answers is None or "informationSought" not in evidence.text:
        return None

    # text answers are in the language of the question, if it is in one language only
    base_languages = {tag.partition("-")[0] for tag in languages(evidence)}
    if len(base_languages) != 1:
        return None
    (language,) = base_languages
    if language != "en" and language not in LANGUAGES:
        return None

    yes_no = evidence.text["informationSought"] == "yes-no"
    if not answers.texts and not yes_no:
        return None
    expected = str(evidence.text.get("answerEntityType", ""))

    # the first answer decides, as the answers of a list are of one kind
    wordings = answers.texts[0] if answers.texts else ()
    by_question = ""
    if not evidence.capitals:
        by_question = str(evidence.text.get("answerEntityKind", ""))
    return kind_by_rules(
        wordings, language, yes_no=yes_no, expected=expected, by_question=by_question
    )


def kind_by_gold(evidence: Evidence) -> str | None:
    """Return the kind of the answer entity by PolQA's label, or by the gold answer."""
    label = _polqa_code(evidence.question, "answerEntityKind")
    if label:
        return label
    kind = _judge_by_gold(evidence)
    return kind.label if kind else None


def kind_by_gold_rule(evidence: Evidence) -> str | None:
    """Return the rule behind `kind_by_gold`; None where PolQA's label decided."""
    kind = _judge_by_gold(evidence)
    if kind and not _polqa_code(evidence.question, "answerEntityKind"):
        return kind.rule
    return None


def type_by_gold(evidence: Evidence) -> FeatureValue | None:
    """Return the type of the answer entity if the gold answer shows that it has a name."""
    if kind_by_gold(evidence) != "named":
        return None
    return answer_entity_type(evidence) or evidence.text.get("answerEntityTypeTold") or "other"


def answer_entity_type(evidence: Evidence) -> FeatureValue | None:
    """Return the type of the answer entity by PolQA's label, or by the text of the question."""
    words = evidence.question.said("entity_subtype").lower().replace("-", " ").split()
    label = "-".join(words)
    if label in ENTITY_TYPES:
        return label
    return evidence.text.get("answerEntityType")


def answer_count(evidence: Evidence) -> int | None:
    """Return the number of distinct gold answers, 1 for yes or no."""
    answers = evidence.question.answers
    if answers is None:
        return None
    if answers.boolean is not None:
        return 1
    return len(set(answers.rows)) + len(answers.texts)


def single_answer(evidence: Evidence) -> bool | None:
    """Return whether there is just one answer."""
    count = answer_count(evidence)
    return None if count is None else count == 1


def answer_is_empty(evidence: Evidence) -> bool | None:
    """Return whether the gold answer is empty; None without one."""
    answers = evidence.question.answers
    if answers is None:
        return None
    return not answers.values()


def answer_aliases(evidence: Evidence) -> int | None:
    """Return the number of further accepted names of the answers; None without text answers."""
    answers = evidence.question.answers
    if not answers or not answers.texts:
        return None
    return sum(len(wordings) - 1 for wordings in answers.texts)


def answer_datatypes(evidence: Evidence) -> tuple[str, ...] | None:
    """Return the datatypes of the answers that are valid IRIs, sorted."""
    answers = evidence.question.answers
    if answers is None:
        return None
    datatypes = {cell.datatype for cell in answers.cells()}
    return tuple(sorted(filter(is_iri, datatypes))) or None


def mention_words(evidence: Evidence) -> float | None:
    """Return the mean number of words in the mentions that the data annotates."""
    texts = [mention.text for mention in evidence.question.mentions if mention.text.strip()]
    return fmean(len(text.split()) for text in texts) if texts else None


def languages(evidence: Evidence) -> tuple[str, ...]:
    """Return the language tags of the question's texts, sorted."""
    return tuple(sorted(tag for tag, wordings in evidence.question.texts.items() if wordings))


def wording_count(evidence: Evidence) -> int | None:
    """Return the number of paraphrases in the language with the most."""
    count = max((len(wordings) for wordings in evidence.question.texts.values()), default=0)
    return count or None


def stated_level(evidence: Evidence) -> str | None:
    """Return the level that the data gives (GrailQA writes ``i.i.d.``)."""
    level = evidence.question.said("level").lower().replace(".", "")
    return level if level in LEVELS else None


def complexity(evidence: Evidence) -> tuple[str, ...] | None:
    """Return Mintaka's classes of complexity by the label of the data, or by the query.

    None without a label and a query.

    By the query: *yesno* ASK; *count* COUNT is the answer; *superlative* ORDER BY with LIMIT, MAX
    or MIN; *ordinal* ORDER BY with LIMIT and OFFSET; *comparative* a filter by <, >, <= or >=;
    *difference* a negation; *multihop* two hops or more; *intersection* one hop to two entities or
    more, without qualifiers; *generic* none of them.
    """
    label = evidence.question.said("complexity").lower()
    if label in COMPLEXITIES:
        return (label,)

    query: Mapping[str, Any] = evidence.query
    if "hopCount" not in query:  # hops of very long queries are not counted
        return None

    aggregates = query.get("aggregateFunctions", frozenset())
    is_extreme = bool(query["isSuperlative"]) or not {"max", "min"}.isdisjoint(aggregates)
    is_ordinal = bool(query["isSuperlative"]) and "Offset" in query["usesFeature"]
    is_ask = query["queryForm"] == "ask"
    hops = query["hopCount"]
    entities: Any = evidence.resources["totalEntities"]

    conditions = {
        "count": query.get("isCount"), "comparative": query["hasComparison"],
        "superlative": is_extreme and not is_ordinal, "ordinal": is_ordinal, "multihop": hops > 1,
        "difference": query["hasNegation"], "yesno": is_ask,
        "intersection": hops == 1 and entities > 1 and not is_ask and not query["hasQualifier"],
    }  # fmt: skip
    return tuple(name for name in COMPLEXITIES if conditions.get(name)) or ("generic",)


def gold_changed(evidence: Evidence) -> str | None:
    """Return how the gold answers differ in another edition; None if nobody compared them."""
    change = evidence.question.said(GOLD_CHANGED)
    return change if change in CHANGES else None


def split(evidence: Evidence) -> str | None:
    """Return the split of the data set that the question is in."""
    return evidence.question.split or None


#: The functions of features that are not taken from the text, the query or what it names.
VALUES: Mapping[str, FeatureFunction] = {
    **{name: read_polqa_label(name) for name in _POLQA},
    **{
        f"isExplicitLemma{kind}{nth}": find_explicit_lemma(kind, nth)
        for kind, nth in product(("Entity", "Relation", "Class"), (1, 2, 3))
    },
    **{name: read_flag(name) for name in ("hybrid", "onlydbo", "aggregation")},
    "answerAliasesCount": answer_aliases,
    "answerDatatypes": answer_datatypes,
    "answerEntityKindGold": kind_by_gold,
    "answerEntityKindGoldRule": kind_by_gold_rule,
    "answerEntityType": answer_entity_type,
    "answerEntityTypeGold": type_by_gold,
    "answerIsEmpty": answer_is_empty,
    "answerType": answer_type,
    "avgMentionWords": mention_words,
    "complexityType": complexity,
    "expectedAnswerClass": read_metadata("answer_class"),
    "generalisationLevel": stated_level,
    "goldChanged": gold_changed,
    "isSingleAnswer": single_answer,
    "languages": languages,
    "queryHasNegation": pick("query", "hasNegation"),
    "resultCount": answer_count,
    "split": split,
    "templateId": read_metadata("template", "template_id"),
    "topicCategory": read_metadata("category", "domain", "topic"),
    "wordingCount": wording_count,
}
#: The codes that rules use; the others are in ``data/features.tsv``.
CODES: Mapping[str, tuple[str, ...]] = {
    **{name: tuple(codes.values()) for name, (_, codes) in _POLQA.items()},
    "answerEntityKindGold": tuple(KINDS.values()),
    "answerEntityType": tuple(ENTITY_TYPES),
    "answerEntityTypeGold": tuple(ENTITY_TYPES),
    "complexityType": COMPLEXITIES,
    "expectedAnswerTREC": TREC_CLASSES,
    "generalisationLevel": LEVELS,
    "goldChanged": CHANGES,
}
