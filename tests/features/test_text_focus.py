"""The head noun of the focus, from words with given tags, and the repair of tags."""

from __future__ import annotations

import pytest

from qaldgen.features.text.headword import headword
from qaldgen.features.text.question_words import wh_word
from qaldgen.features.text.tag_repair import Word, repair_tags
from qaldgen.features.text.words import singular


def tag(text: str) -> list[Word]:
    """Read "words/NNS with/IN tags/NNS"; no blank before a hyphen or behind it."""
    pairs = [piece.rsplit("/", 1) for piece in text.split()]
    glued = [
        word == "-" or (pairs[at + 1][0] == "-" if at + 1 < len(pairs) else False)
        for at, (word, _) in enumerate(pairs)
    ]
    found, start = list[Word](), 0
    for (word, mark), tight in zip(pairs, glued, strict=True):
        found.append(Word(word, "" if tight else " ", mark, word.lower(), start))
        start += len(word) + (not tight)
    return found


def written(tokens: list[Word]) -> str:
    return "".join(token.text + token.whitespace_ for token in tokens)


HEADS = {
    "Which/WDT old/JJ mills/NNS burned/VBD ?/.": "mill",
    "In/IN which/WDT valley/NN is/VBZ it/PRP ?/.": "valley",
    "Which/WDT mill/NN 's/POS owner/NN is/VBZ Ada/NNP ?/.": "mill",
    "What/WP is/VBZ the/DT mill/NN 's/POS name/NN ?/.": "name",
    "What/WP is/VBZ the/DT second/RB oldest/JJS mill/NN ?/.": "mill",
    "What/WP was/VBD the/DT name/NN of/IN the/DT mill/NN ?/.": "mill",
    "What/WP was/VBD the/DT name/NN of/IN the/DT miller/NN Roe/NNP ?/.": "name",
    "What/WDT kind/NN of/IN flour/NN is/VBZ it/PRP ?/.": "flour",
    "What/WP in/IN the/DT world/NN is/VBZ her/PRP$ trade/NN ?/.": "trade",
    "Who/WP is/VBZ the/DT Miller/NNP of/IN Dee/NNP ?/.": "miller",
    "Who/WP were/VBD Ada/NNP 's/POS brothers/NNS ?/.": "brother",
    "Who/WP have/VBP been/VBN the/DT owners/NNS ?/.": "owner",
    "Who/WP is/VBZ Ada/NNP Roe/NNP ?/.": None,
    "Who/WP owns/VBZ the/DT mill/NN ?/.": None,
    "What/WP is/VBZ ground/VBN here/RB ?/.": None,
    "What/WP is/VBZ rye/NN ?/.": None,
    "Whose/WP$ mill/NN is/VBZ it/PRP ?/.": None,
    "How/WRB many/JJ water/NN wheels/NNS turn/VBP ?/.": "wheel",
    "How/WRB many/JJ are/VBP there/EX ?/.": None,
    "Which/WDT of/IN the/DT mills/NNS burned/VBD ?/.": "mill",
    "Which/WDT mill/NN Dee/NNP burned/VBD ?/.": "mill",
    "Which/WDT century/NN -/HYPH mill/NN burned/VBD ?/.": "century-mill",
    "Which/WDT long/JJ and/CC narrow/JJ mills/NNS burned/VBD ?/.": "mill",
    "Give/VB me/PRP all/DT mills/NNS ./.": "mill",
    "Give/VB me/PRP a/DT list/NN of/IN the/DT mills/NNS ./.": "mill",
    "Name/VB everyone/NN who/WP left/VBD ./.": None,
    "I/PRP want/VBP to/TO know/VB the/DT names/NNS of/IN all/DT mills/NNS ./.": "mill",
    "Let/VB me/PRP know/VB which/WDT mills/NNS burned/VBD ./.": "mill",
    "Tell/VB me/PRP what/WP the/DT oldest/JJS mill/NN is/VBZ ./.": "mill",
    "Name/VB the/DT show/NN whose/WP$ mill/NN burned/VBD ./.": None,
    "Name/VB all/DT those/DT who/WP are/VBP old/JJ millers/NNS ./.": None,
    "Show/VB which/WDT mills/NNS burned/VBD ./.": "mill",
    "Tell/VB me/PRP who/WP burned/VBD the/DT mill/NN ./.": None,
    "Which/WDT one/CD of/IN the/DT mills/NNS burned/VBD ?/.": "mill",
    "Howmany/JJ mills/NNS burned/VBD ?/.": "mill",
    "University/NNP of/IN Dee/NNP ?/.": None,
    "Dee/NNP Mill/NNP ?/.": None,
    "The/DT owner/NN of/IN the/DT mill/NN ?/.": "owner",
    "Is/VBZ the/DT mill/NN old/JJ ?/.": None,
    "Where/WRB is/VBZ the/DT mill/NN ?/.": None,
    "When/WRB did/VBD the/DT mill/NN burn/VB ?/.": None,
    "How/WRB old/JJ is/VBZ the/DT mill/NN ?/.": None,
}


@pytest.mark.parametrize(("tagged", "lemma"), HEADS.items())
def test_head_noun(tagged: str, lemma: str | None) -> None:
    tokens = tag(tagged)
    head = headword(tokens, wh_word(written(tokens)))
    assert (head.lemma if head else None) == lemma


def test_head_as_it_stands_and_its_number() -> None:
    head = headword(tag("Name/VB all/DT water/NN Mills/NNS ./."), wh_word("Name all water Mills."))
    assert head is not None
    assert (head.word, head.lemma, head.plural) == ("Mills", "mill", True)


@pytest.mark.parametrize(
    ("tagged", "place", "mark"),
    [
        ("Which/WDT mills/VBZ line/NN Dee/NNP ?/.", 1, "NNS"),
        ("Which/WDT mills/VBZ line/NN Dee/NNP ?/.", 2, "VBP"),
        ("Which/WDT turns/VBZ the/DT wheel/NN ?/.", 1, "VBZ"),
        ("What/WP are/VBP the/DT water/NN mills/VBZ whose/WP$ wheel/NN broke/VBD ?/.", 4, "NNS"),
        ("Name/VB the/DT show/VB ./.", 2, "NN"),
        ("the/DT first/JJ release/VBP date/NN ?/.", 2, "NN"),
        ("Which/WDT is/VBZ it/PRP ?/.", 1, "VBZ"),
    ],
)
def test_tags_are_repaired(tagged: str, place: int, mark: str) -> None:
    assert repair_tags(tag(tagged))[place].tag_ == mark


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("mills", "mill"),
        ("cities", "city"),
        ("churches", "church"),
        ("boxes", "box"),
        ("women", "woman"),
        ("children", "child"),
        ("species", "species"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("ties", "tie"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected
