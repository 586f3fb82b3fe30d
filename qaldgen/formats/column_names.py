"""The usual names of columns and fields with questions and answers.

Case, spaces, hyphens and underscores are ignored; some names are known in other languages.
"""

from __future__ import annotations

import functools
import re

#: Kind of content to the usual names of its column, preferred ones first.
NAMES: dict[str, tuple[str, ...]] = {
    "id": (
        "id", "uid", "qid", "questionid", "qaid", "exampleid", "itemid", "sampleid", "recordid",
        "queryid", "docid", "uuid", "guid", "idx", "index", "", "unnamed0",
    ),
    "question": (
        "question", "text", "questions", "questiontext", "qtext", "utterance", "nlquestion",
        "naturallanguagequestion", "correctedquestion", "originalquestion", "rawquestion",
        "questionstem", "questionstring", "questionbody", "userquestion", "ambiguousquestion",
    ),
    # too general to show on their own that a file holds questions
    "maybe question": ("query", "q", "nlq", "nl", "problem", "problemstatement", "prompt", "input",
        "inputs", "instruction", "stem", "userquery", "userinput", "naturallanguage"),
    "wordings": ("paraphrasedquestion", "paraphrasedquestions", "paraphrase", "paraphrases"),
    "sparql": (
        "sparql", "sparqlquery", "goldsparql", "goldsparqlquery", "targetsparql", "sparqlwikidata",
        "sparqldbpedia", "sparqldbpedia18", "sparqldbpedia2016", "sparqlfreebase",
    ),
    # a query only if their values are SPARQL
    "maybe sparql": (
        "query", "goldquery", "queries", "logicalform", "lf", "formalquery", "targetquery",
        "target", "output", "answer", "label", "completion", "response", "gold", "reference",
        "expected", "expectedoutput", "groundtruth", "ideal",
    ),
    # explicitly gold; an ``answer`` beside it may be a system's. Our own folders have the names of
    # each answer in ``answer_wordings``
    "gold": (
        "answerwordings", "bestanswer", "gold", "golds", "goldanswer", "goldanswers",
        "goldenanswer", "goldenanswers",
        "goldlabel", "goldlabels", "goldresult", "goldresults", "groundtruthanswer", "groundtruth",
        "groundtruths", "correctanswer", "rightanswer", "expectedanswer", "expectedanswers",
        "expected", "expectedoutput", "referenceanswer", "referenceanswers", "reference",
        "references", "referenceoutput", "referenceoutputs", "ideal", "ideals", "correctanswers",
    ),
    "answers": (
        "answers", "answer", "answerlist", "answerset", "finalanswers", "finalanswer",
        "shortanswer", "answersspans", "answertext", "answervalue", "answernumber", "target",
        "targets", "output", "outputs", "possibleanswers", "acceptedanswers", "acceptableanswers",
        "answeriris", "answeruris", "answeriri", "answeruri", "label", "labels",
        "solution", "solutions", "results",
    ),
    # further names of the answer
    "variants": (
        "correctanswers", "aliases", "answeraliases", "answersaliases", "answeralias",
        "possibleanswers", "acceptedanswers", "acceptableanswers", "alternativeanswers",
        "alternateanswers", "otheranswers", "answervariants", "variants", "normalizedaliases",
    ),
    "choices": ("choices", "options", "answerchoices", "answeroptions", "multiplechoice", "endings",
        "mc1targets"),
    # the number or letter of the right choice
    "choice": (
        "answerkey", "answeridx", "answerindex", "correctindex", "correctidx", "correctchoice",
        "correctoption", "answerletter", "correctanswerindex", "goldindex", "cop", "label",
    ),
    "impossible": ("isimpossible", "unanswerable", "isunanswerable"),
    "answerable": ("answerable", "isanswerable"),
    "language": ("language", "lang"),
    "type": ("answertype", "expectedanswertype"),
    "split": ("split",),
    "origin": ("origin", "dataset", "datasetname"),
}  # fmt: skip
#: Wrong answers: never gold.
_WRONG = re.compile(
    r"(?:best)?(?:incorrect|wrong|false|bad)(?:answers?|choices?|"
    r"options?)\d*|distractors?\d*|mc2targets"
)
#: One column per choice: ``A`` to ``D``, ``option_1``, ``opa``, ``answerB``.
_CHOICE = re.compile(
    r"(?:(?:option|choice|opt|op|sol)(?P<end>[a-h]|[0-9])|(?:answer|ans)(?P<letter>[a-h])|"
    r"(?P<bare>[a-h]))"
)
#: Answers of a system, the most telling names first: a file with such a column is a run, unless it
#: has gold or queries too. They take precedence over ``answer``, which is then the gold answer.
PREDICTIONS = (
    "prediction", "predictions", "predicted", "predictedanswer", "predictedanswers",
    "predictiontext", "pred", "preds", "modelanswer", "modelanswers", "modeloutput",
    "modelresponse", "systemanswer", "systemoutput", "llmanswer", "finalanswer", "extractedanswer",
    "actual", "response", "responses", "responsetext", "output", "outputs", "outputtext",
    "generatedtext", "generatedanswer", "generation", "generations", "generated", "completion",
    "completions", "hypothesis", "hyp", "reply", "samples", "result",
)  # fmt: skip
_SAID = "(?:answer|output|response|prediction|predicted|pred|generation|completion|reply)s?"
_BESIDE = (
    "type|time|seconds|tokens?|length|len|id|ids|source|score|lang|language|context|category|kind|"
    "format|count|number|url|date|sparql|query|correct|explanation|entity|entities|passages?|"
    "probability|confidence|logprobs?"
)
#: Answers of the system that the name says: ``GPT-3 output``, ``answer_llama``.
_SAID_BY = re.compile(
    "(?!gold|gt|true|truth|correct|right|expected|reference|target|ideal|num|has|is|n|human|short"
    f"|long|feature)(?:.+{_SAID}|{_SAID}(?!(?:{_BESIDE})$)[a-z].*)"
)
_BARE_SAID = re.compile(rf"^{_SAID}(?:\s+(?:by|of))?[\W_]+|[\W_]+{_SAID}$", re.IGNORECASE)
#: In these columns, every entry of a list is an answer; in others, the entries are names of one
#: answer.
SEVERAL = frozenset({
    "answers", "goldanswers", "expectedanswers", "answerlist", "answerset", "finalanswers",
    "answersspans", "answeriris", "answeruris", "goldresult", "goldresults", "results",
})  # fmt: skip
#: Language codes in names such as question_de; "id" is not among them: question_id is an id.
_TAGS = frozenset(
    re.findall(
        r"\w+",
        "ar be bg bn bs ca cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy is it ja ka"
        " kk km ko lt lv mk ml mn mr ms ne nl pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk"
        " ur uz vi zh",
    )
)
_LANGUAGES = {
    "eng": "en", "english": "en", "ger": "de", "german": "de", "rus": "ru", "russian": "ru",
    "fra": "fr", "french": "fr", "spa": "es", "spanish": "es", "pol": "pl", "polish": "pl",
}  # fmt: skip
#: Names in other languages: id, question, answer and prediction.
_FOREIGN = {
    "ar": ("", "السؤال", "الإجابة", ""),
    "de": ("nr nummer", "frage fragen", "antwort antworten", "vorhersage modellantwort"),
    "es": ("número", "pregunta preguntas", "respuesta respuestas", "predicción"),
    "fr": ("numéro", "", "réponse réponses", "prédiction"),
    "it": ("numero", "domanda domande", "risposta risposte", "predizione"),
    "ja": ("番号", "質問", "回答 答え", "予測"),
    "ko": ("번호", "질문", "정답 답변", "예측"),
    "nl": ("nummer", "vraag vragen", "antwoord antwoorden", "voorspelling"),
    "pl": ("numer", "pytanie pytania", "odpowiedź odpowiedzi", "predykcja"),
    "pt": ("número", "pergunta perguntas", "resposta respostas", "predição previsão"),
    "ru": ("номер", "вопрос вопросы", "ответ ответы", "предсказание"),
    "tr": ("numara", "soru sorular", "cevap cevaplar", "tahmin"),
    "zh": ("编号", "问题 問題", "答案", "预测"),
}
_ENGLISH = {
    word: english
    for words in _FOREIGN.values()
    for english, listed in zip(("id", "question", "answer", "prediction"), words, strict=True)
    for word in listed.split()
}
_QUESTIONS = {word: tag for tag, words in _FOREIGN.items() for word in words[1].split()}
_IN_LANGUAGE = re.compile(
    r"(?:(?:question|text|utterance|q)(?:[ _-]?text|[ _-]?string)?["
    r" _-](?P<after>[a-z]+)(?P<region>[_-][a-z]{2,4})?"
    r"|(?P<before>[a-z]+)[ _-](?:question|text|utterance))",
    re.IGNORECASE,
)


@functools.lru_cache(maxsize=4096)  # the same few in all records of a file
def plain_name(name: str) -> str:
    """Return a name without case, spaces and punctuation, the usual ones in English.

    >>> plain_name("Question Text"), plain_name("qText"), plain_name("Frage")
    ('questiontext', 'qtext', 'question')
    """
    plain = _squeezed(name)
    return _ENGLISH.get(plain, plain)


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def holds_questions(name: str) -> bool:
    """Return whether a column of this name holds questions, and nothing else."""
    return plain_name(name) in NAMES["question"] or question_language(name) != ""


def holds_gold(name: str) -> bool:
    """Return whether a column of this name may hold gold answers or a query."""
    return plain_name(name) in {*NAMES["gold"], *NAMES["answers"], *NAMES["sparql"]}


def is_wrong_answer(name: str) -> bool:
    """Return whether a column of this name holds wrong answers."""
    return _WRONG.fullmatch(plain_name(name)) is not None


def says_system(name: str) -> bool:
    """Return whether a name says whose answers the column holds.

    >>> names = ("GPT-3 output", "answer_llama", "Response by X", "gold answer", "answer_time")
    >>> [says_system(name) for name in names]
    [True, True, True, False, False]
    """
    plain = plain_name(name)
    return (
        _SAID_BY.fullmatch(plain) is not None
        and not any(plain in names for names in NAMES.values())
        and plain not in PREDICTIONS
        and not is_wrong_answer(name)
        and not choice_mark(name)
        and not question_language(name)
    )


def system_in(name: str) -> str:
    """Return the system that the name of a column of answers states.

    >>> [system_in(name) for name in ("GPT-3 output", "answer_llama", "llama.answer")]
    ['GPT-3', 'llama', 'llama']
    """
    return _BARE_SAID.sub("", name).strip() or name


def question_language(name: str) -> str:
    """Return the language that the name of a column of questions states; else "".

    >>> names = ("question_de", "text-pt_BR", "question_id", "Frage")
    >>> [question_language(name) for name in names]
    ['de', 'pt_BR', '', 'de']
    """
    if own := _QUESTIONS.get(_squeezed(name)):
        return own
    # "question_text" is not in a language "text"
    usual = plain_name(name) in {*NAMES["question"], *NAMES["id"]}
    match = None if usual else _IN_LANGUAGE.fullmatch(name.strip())
    said = (match["after"] or match["before"]).lower() if match else ""
    tag = said if said in _TAGS else _LANGUAGES.get(said, "")
    return tag + ((match["region"] or "") if match and tag else "")


def choice_mark(name: str) -> str:
    """Return the letter or digit of the choice in a column of this name; else ""."""
    match = _CHOICE.fullmatch(plain_name(name))
    return (match["end"] or match["letter"] or match["bare"]).upper() if match else ""
