"""PolQA's taxonomy: rules that say why, labels of the data, and accuracy on labelled questions."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from qaldgen.features.catalogue import all_features
from qaldgen.features.compute import stream_features
from qaldgen.features.data_features import kind_by_rules
from qaldgen.model import Answers, Question
from qaldgen.plugins.polish.nouns import find_noun_type, type_of_noun
from qaldgen.questions.reading import read_questions

LABELS = Path(__file__).resolve().parents[2] / "data" / "labels"


def polish(text: str, *answers: str, **metadata: str) -> dict[str, object]:
    gold = Answers(texts=(answers,)) if answers else None
    (found,) = stream_features(
        [Question("1", {"pl": (text,)}, answers=gold, metadata=metadata)], language="pl", n_jobs=1
    )
    return dict(found)


@pytest.mark.parametrize(("text", "feature", "label", "rule"), [
    ("Młyn spłonął. Kto go podpalił?", "questionFormulation", "compound", "2 sentences"),
    ("Podaj nazwę młyna.", "questionFormulation", "command", "opens with 'podaj'"),
    ("Młyn stoi w lesie czy nad stawem?", "informationSought", "entity-choice",
        "'czy' inside the sentence"),
    ("Jaki przydomek miał młynarz?", "informationSought", "other-name",
        "asks for another name ('przydomek')"),
    ("Dokończ przysłowie: cicha woda...", "informationSought", "gap-filling",
        "asks to complete ('dokończ')"),
    ("W którym mieście stoi młyn?", "answerEntityType", "city",
        "the noun 'mieście' behind the question word"),
    ("Ile lat ma młyn?", "answerEntityKind", "named", "a number or a date is asked for"),
    ("Jak nazywa się koło młyna?", "answerEntityKind", "unnamed", "a definition"),
    ("Kim był młynarz z Ulm?", "answerEntityKind", "unnamed", "asks what someone is"),
    ("Jak wabił się pies młynarza?", "answerEntityType", "animal", "the phrase 'wabił'"),
    ("W jakim wieku zmarł młynarz?", "answerEntityType", "quantity", "the phrase 'w jakim wieku"),
    ("Proszę rozwinąć skrót MUK.", "answerEntityType", "organisation", "an abbreviation"),
    ("Spalono młyn w Ulm czy w Dee?", "answerEntityType", "city", "the shape of the last option"),
    ("Młyn należał do króla czy do księcia Ulmu?", "answerEntityType", "person",
        "the noun 'księcia' in the last option"),
    ("Jaką nagrodę dostał młynarz?", "answerEntityType", "other",
        "the noun 'nagrodę' behind the question word"),
    ("Jaki tytuł szlachecki miał młynarz?", "answerEntityKind", "unnamed",
        "a kind of thing without a name is asked for ('tytuł szlachecki')"),
    ("Jak nazywa się koło młyna w Ulm?", "answerEntityKind", "unnamed",
        "no noun tells what kind of name is asked for"),
    ("Jak nazywał się młyn Jana?", "answerEntityKind", "named",
        "asks what one thing was called ('jak nazywał')"),
    ("Jak nazywał się książę, który zbudował młyn?", "answerEntityType", "person",
        "the noun 'książę' behind the question word"),
    ("Które zwierzę ciągnie wóz?", "answerEntityKind", "unnamed",
        "a kind of thing without a name is asked for ('zwierzę')"),
])  # fmt: skip
def test_rule_that_fired(text: str, feature: str, label: str, rule: str) -> None:
    found = polish(text)
    assert found[feature] == label
    assert str(found[f"{feature}Rule"]).startswith(rule)


@pytest.mark.parametrize(("text", "label"), [
    # the noun that is asked for stands behind adjectives, participles, numbers and prepositions
    ("Jak nazywał się wybudowany w 1871 r. nad Dunajem drewniany most?", "building"),
    ("Jak nazywał się podczas II wojny światowej dowódca młyna?", "person"),
    ("Proszę podać dokładną datę spalenia młyna.", "day"),
    ("Jaką nazwę nosiła spalona twierdza?", "place"),
    ("Którą ze staromiejskich dzielnic spalono?", "place"),
    ("W którym śląskim kabarecie śpiewali młynarze?", "organisation"),
    # what stands behind another noun only describes it
    ("Jak nazywał się młot na statku króla Ulmu?", "other"),
    # endings keep a stem from other words: organ is no organizacja, nauka no naukowiec
    ("Która organizacja kupiła młyn?", "organisation"),
    ("Jaki naukowiec mieszkał w młynie?", "person"),
    # an ending tells of a person that no table names
    ("Która altowiolistka mieszkała w młynie?", "person"),
    ("Jak nazywał się dzwon pokoju?", "other"),
])  # fmt: skip
def test_the_noun_that_is_asked_for_decides(text: str, label: str) -> None:
    assert polish(text)["answerEntityType"] == label


@pytest.mark.parametrize("text", [
    "Jak nazywa się człowiek, który miele mąkę?", "Jak nazywa się właściciel młyna?",
    "Jak nazywa się wgłębienie w kole wozu?",
])  # fmt: skip
def test_definitions_of_words_ask_for_no_name(text: str) -> None:
    assert polish(text)["answerEntityKind"] == "unnamed"


@pytest.mark.parametrize(("text", "feature", "rule"), [
    ("Name the mills of Ulm.", "questionFormulationRule", "an imperative"),
    ("Is the mill in Kiel or in Dee?", "informationSoughtRule", "offers a choice with 'or'"),
    ("Who burned the mill?", "answerEntityKindRule", "question class who"),
    ("Who burned the mill?", "answerEntityTypeRule", "question class who"),
])  # fmt: skip
def test_rules_carry_over_to_english(text: str, feature: str, rule: str) -> None:
    (found,) = stream_features([Question("1", {"en": (text,)})], n_jobs=1)
    assert found[feature] == rule


@pytest.mark.parametrize(("field", "said", "feature", "label"), [
    ("question_formulation", "COMMAND", "questionFormulation", "command"),
    ("question_formulation", "QUESTION", "questionFormulation", "plain"),
    ("question_type", "MULTIPLE  ENTITIES", "informationSought", "multiple-entities"),
    ("question_type", "OTHER NAME", "informationSought", "other-name"),
    ("question_type", "YES/NO", "informationSought", "yes-no"),
    ("entity_type", "UNNAMED", "answerEntityKind", "unnamed"),
    ("entity_subtype", "CELESTIAL BODY", "answerEntityType", "celestial-body"),
])  # fmt: skip
def test_labels_of_the_data_win(field: str, said: str, feature: str, label: str) -> None:
    assert polish("Kto spalił młyn?", **{field: said})[feature] == label


def test_unknown_label_leaves_it_to_the_rules() -> None:
    assert (
        polish("Kto spalił młyn?", question_type="RIDDLE")["informationSought"] == "single-entity"
    )


@pytest.mark.parametrize(("wordings", "kind"), [
    (("w Ulm",), "named"), (("motyle",), "unnamed"), (("czternaście",), "named"),
    (("H2O",), "named"), (("„Młyn”",), "named"), (("za Karola Wielkiego",), "named"),
    (("skrzypce", "Skrzypce"), "unnamed"), (("",), "unnamed"), ((), "unnamed"),
])  # fmt: skip
def test_kind_by_gold(wordings: tuple[str, ...], kind: str) -> None:
    assert kind_by_rules(wordings, "pl", yes_no=False).label == kind


def test_gold_features_need_the_gold_and_say_so() -> None:
    without = polish("Jak nazywa się koło młyna?")
    with_gold = polish("Jak nazywa się koło młyna?", "Wielkie Koło")
    assert "answerEntityKindGold" not in without
    assert (with_gold["answerEntityKindGold"], with_gold["answerEntityTypeGold"]) == (
        "named",
        "other",
    )
    assert with_gold["answerEntityKindGoldRule"] == "the gold answer is written with a capital"
    for name, feature in all_features().items():
        if name.endswith(("Gold", "GoldRule")):
            assert "needs the gold answer" in feature.definition
            assert not feature.searched


def test_german_gold_is_not_read_by_its_capitals() -> None:
    question = Question("1", {"de": ("Was mahlt die Mühle?",)}, answers=Answers(texts=(("Mehl",),)))
    assert "answerEntityKindGold" not in next(stream_features([question], language="de", n_jobs=1))


def labelled(name: str, **fields: str) -> list[dict[str, str]]:
    with (LABELS / name).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row for row in rows if fields.items() <= row.items()]


def features_of(labels: list[dict[str, str]], path: Path) -> list[dict[str, object]]:
    if not path.is_dir():
        pytest.skip(f"the questions of PolEval 2021 are not at {path}")
    asked = {question.id: question for question in read_questions(path).questions}
    found = list(stream_features([asked[row["id"]] for row in labels], language="pl", n_jobs=1))
    return [dict(one) for one in found]


#: Sample to the questions with named answers in it, and how many types are right (docs).
FINE_TYPES = {"1": (78, 74), "2": (53, 51)}


@pytest.mark.parametrize("sample", FINE_TYPES)
def test_fine_types_on_labelled_questions_of_dev(shared_data: Path, sample: str) -> None:
    labels = labelled("poleval-dev.tsv", sample=sample, entityType="named")
    found = features_of(labels, shared_data / "poleval-2021" / "dev-0")
    right = sum(
        one.get("answerEntityType") == row["fineType"]
        for one, row in zip(found, labels, strict=True)
    )
    named, least = FINE_TYPES[sample]
    assert len(labels) == named
    assert right >= least


ACCURACY = {
    "formulation": ("questionFormulation", 195), "questionType": ("informationSought", 194),
    "entityType": ("answerEntityKind", 178),
}  # fmt: skip


def test_accuracy_on_questions_labelled_blind(shared_data: Path) -> None:
    labels = labelled("poleval.tsv")
    found = features_of(labels, shared_data / "poleval-2021" / "test-A")
    assert len(labels) == 200
    for column, (name, least) in ACCURACY.items():
        assert (
            sum(one.get(name) == row[column] for one, row in zip(found, labels, strict=True))
            >= least
        ), column
    by_gold = sum(
        one.get("answerEntityKindGold") == row["entityType"]
        for one, row in zip(found, labels, strict=True)
    )
    assert by_gold >= 190
    named = [
        (one, row) for one, row in zip(found, labels, strict=True) if row["entityType"] == "named"
    ]
    for name in ("answerEntityType", "answerEntityTypeGold"):
        assert sum(one.get(name) == row["fineType"] for one, row in named) >= 0.79 * len(named)


#: The locative, or the plural, of nouns whose table entry is another form.
FORMS = """planeta planecie, poetka poetce, aktorka aktorce, śpiewaczka śpiewaczce, opera operze,
republika republice, kometa komecie, gwiazda gwieździe, powiat powiecie, kościół kościele,
generał generale, rzeka rzece, droga drodze, katedra katedrze, kapela kapeli, fregata fregacie,
gazeta gazecie, sonda sondzie, dynastia dynastii, pirat piracie, klasztor klasztorze, wieża wieży,
ballada balladzie, wystawa wystawie, malarka malarce, poetka poetek, grobowiec grobowcu,
sterowiec sterowcem, architekt architekci, biskup biskupi, czołg czołgu, bajka bajek"""


@pytest.mark.parametrize("pair", FORMS.replace("\n", " ").split(", "))
def test_other_forms_of_a_noun_have_its_type(pair: str) -> None:
    noun, form = pair.split()
    assert type_of_noun(noun) is not None
    assert type_of_noun(form) == type_of_noun(noun)


@pytest.mark.parametrize("word", ["zegarze", "komputerze", "kraterze", "papierze", "młynie"])
def test_the_locative_of_a_thing_is_no_person(word: str) -> None:
    assert type_of_noun(word) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Jak nazywa się największy satelita Neptuna?", "celestial-body"),
        ("O którym satelicie Jowisza mowa?", "celestial-body"),
        ("Jak nazywał się pierwszy sztuczny satelita?", "vehicle"),
        ("Jak nazywa się polski satelita?", "vehicle"),
    ],
)
def test_satellites_are_moons_unless_people_launched_them(text: str, label: str) -> None:
    assert find_noun_type(text, "what").type == label
