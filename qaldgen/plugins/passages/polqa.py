"""PolQA's tables: passages by strategy, word overlap, and the taxonomy of questions.

The taxonomy is by the labels of the data, or by our rules.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.analysis.question_sets import SetTable, variants
from qaldgen.errors import UsageError
from qaldgen.features.cache import cache_file
from qaldgen.features.compute import stream_features
from qaldgen.model import QuestionSet
from qaldgen.options import Option
from qaldgen.plugins.passages.analysers import Overlap, make_analyser
from qaldgen.plugins.passages.collection import Pair, read_pairs
from qaldgen.questions.fetching import resolve

if TYPE_CHECKING:
    import pandas as pd


#: The strategy of the paper by the source in a row.
SOURCES = {
    "human": "standard, manual",
    "hard-negatives": "standard, neural",
    "zero-shot": "efficient",
}
#: The strategies in the order of PolQA's tables.
_ORDER = ["standard", "standard, manual", "standard, neural", "efficient", "total"]
#: How texts are split into terms for the overlap of words; each gives two columns.
_ANALYSERS = ("token", "lemma")
#: The number of PolQA's questions, labelled by hand, with each label (Table 2).
TABLE_2 = {
    "questionFormulation": {"plain": 6839, "compound": 108, "command": 53},
    "informationSought": {
        "single-entity": 5589, "entity-choice": 705, "yes-no": 532, "other-name": 86,
        "multiple-entities": 59, "gap-filling": 29,
    },
    "answerEntityKind": {"named": 3854, "unnamed": 2614, "yes-no": 532},
}  # fmt: skip
TABLE_2_SIZE = 7000
#: Formats of sets that are Polish and have these labels.
_POLISH = frozenset({"poleval", "polqa"})
#: The features that are computed from the gold answers too, which are better evidence than the
#: question alone, with the names of these features.
_BY_GOLD = {"answerEntityKind": "answerEntityKindGold"}


def strategies(pair: Pair) -> tuple[str, ...]:
    """Return the strategies to which a row belongs."""
    source = SOURCES.get(pair.source, pair.source or "unnamed")
    if source.startswith("standard,"):
        return source, "standard", "total"
    return source, "total"


def _sort_strategies(names: Iterable[str]) -> list[str]:
    """Return the names of strategies in the order of PolQA, followed by others."""
    order = list(dict.fromkeys([*_ORDER, *names]))
    return sorted(names, key=order.index)


def strategy_table(pairs: Sequence[Pair]) -> pd.DataFrame:
    """Return the numbers of questions and passages of each strategy.

    A passage that several strategies found for a question counts once in their total; it is
    positive if any row says so.
    """
    import pandas as pd

    judgements = []
    for pair in pairs:
        for strategy in strategies(pair):
            judgements.append((strategy, pair.question, pair.passage.id, pair.relevant))

    columns = ["strategy", "question", "passage", "is_positive"]
    table = pd.DataFrame(judgements, columns=columns)
    judged = table.groupby(["strategy", "question", "passage"])["is_positive"].any().reset_index()

    rows = []
    for strategy in _sort_strategies(dict.fromkeys(table["strategy"])):
        rows_of_strategy = judged[judged["strategy"] == strategy]
        positive = rows_of_strategy[rows_of_strategy["is_positive"]]
        negative = rows_of_strategy[~rows_of_strategy["is_positive"]]
        rows.append(
            {
                "strategy": strategy,
                "questions with positive": positive["question"].nunique(),
                "questions with negative": negative["question"].nunique(),
                "questions": rows_of_strategy["question"].nunique(),
                "positive passages": len(positive),
                "negative passages": len(negative),
                "passages": len(rows_of_strategy),
            }
        )
    return pd.DataFrame(rows)


def overlap_table(
    pairs: Sequence[Pair],
    texts: Mapping[str, str],
    answers: Mapping[str, Sequence[str]],
    overlaps: Mapping[str, Overlap],
    *,
    by_question: bool,
) -> pd.DataFrame:
    """Return the mean overlap of questions and answers with passages, by strategy."""
    import pandas as pd

    by_source: dict[str, Mapping[str, Sequence[str]]] = {
        "question": {name: (text,) for name, text in texts.items()},
        "answer": answers,
    }
    columns: list[str] = []
    for analyser in overlaps:
        columns += [f"{analyser}, positive", f"{analyser}, negative"]

    rows = []
    for source, wordings in by_source.items():
        for pair in pairs:
            texts_of_pair = wordings.get(pair.question, ())
            label = "positive" if pair.relevant else "negative"
            for analyser, overlap in overlaps.items():
                share = overlap.share(texts_of_pair, pair.passage.text, pair.passage.title)
                column = f"{analyser}, {label}"
                for strategy in strategies(pair):
                    rows.append((source, strategy, column, pair.question, share))

    keys = ["of", "strategy", "column"]
    shares = pd.DataFrame(rows, columns=[*keys, "question", "share"]).astype({"share": float})
    order = _sort_strategies(dict.fromkeys(shares["strategy"]))
    if by_question:
        shares = shares.groupby([*keys, "question"])["share"].mean().reset_index()
    means = shares.groupby(keys)["share"].mean().unstack("column")

    table = means.reindex(
        index=pd.MultiIndex.from_product([by_source, order], names=["of", "strategy"]),
        columns=columns,
    )
    return table.rename_axis(columns=None).reset_index()


def describe_polqa(
    path: str | Path,
    questions: QuestionSet,
    *,
    types: bool = False,
    title: bool = False,
    by_question: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return PolQA's Tables 1 and 3 from its rows.

    Passages by strategy, and how their words overlap with the questions.

    Parameters
    ----------
    path
        PolQA's rows.
    questions
        The questions of the rows.
    types
        Count each distinct word once.
    title
        Include the title in the passage.
    by_question
        Average over questions instead of pairs.

    Returns
    -------
    tuple of DataFrame
        How many questions and passages each strategy gave, and mean overlaps from 0 to 1.
    """
    pairs = list(read_pairs(resolve(path)))
    texts = {question.id: question.text("pl") for question in questions}
    answers = {
        question.id: variants(question)
        for question in questions
        if question.answer_type != "boolean"
    }
    overlaps = {name: Overlap(make_analyser(name, "pl"), types, title) for name in _ANALYSERS}
    return strategy_table(pairs), overlap_table(
        pairs, texts, answers, overlaps, by_question=by_question
    )


def make_passage_tables(
    names: Sequence[str | Path],
    sets: Sequence[QuestionSet],
    language: str,
    *,
    types: bool,
    title: bool,
    by_question: bool,
) -> list[pd.DataFrame]:
    """Return both tables of each set; refuse a set that is not in PolQA's columns."""
    tables: list[pd.DataFrame] = []
    for name, question_set in zip(names, sets, strict=True):
        if question_set.format != "polqa":
            raise UsageError(
                "has no passages in PolQA's columns; choose another `table`", where=name
            )
        tables += describe_polqa(
            name, question_set, types=types, title=title, by_question=by_question
        )
    return tables


PASSAGES = SetTable(
    make_passage_tables,
    "passages by strategy, and word overlap, from PolQA's files",
    (
        Option("types", False, "count each distinct word once"),
        Option("title", False, "include the title in the passage"),
        Option("by_question", False, "average over questions instead of pairs"),
    ),
)


def taxonomy(sets: Sequence[QuestionSet], *, language: str = "pl") -> pd.DataFrame:
    """Return how questions distribute over PolQA's taxonomy.

    Labels come from the data, else from our rules (Polish, English). The figures of PolQA's Table 2
    stand beside those of Polish sets with these labels.

    Parameters
    ----------
    sets
        The questions.
    language
        Language of their texts.

    Returns
    -------
    DataFrame
        For each label the number of questions and their share, from 0 to 1.
    """
    import pandas as pd

    questions = list(itertools.chain.from_iterable(sets))
    features = list(stream_features(questions, language=language, n_jobs=1, cache=cache_file()))
    beside_paper = all(question_set.format in _POLISH for question_set in sets)

    rows = []
    for category, labels in TABLE_2.items():
        for name in dict.fromkeys([category, _BY_GOLD.get(category, category)]):
            counts = Counter(str(each[name]) for each in features if each.get(name) is not None)
            total = counts.total()
            for label, paper_count in labels.items():
                row: dict[str, object] = {
                    "category": name,
                    "label": label,
                    "questions": counts[label],
                    "share": counts[label] / total if total else None,
                }
                if beside_paper:
                    row["PolQA"] = paper_count
                    row["PolQA share"] = paper_count / TABLE_2_SIZE
                rows.append(row)
    return pd.DataFrame(rows)


TAXONOMY = SetTable(
    lambda names, sets, language: [taxonomy(sets, language=language)],
    "the form of questions and what they ask for (PolQA; Polish and English)",
)
