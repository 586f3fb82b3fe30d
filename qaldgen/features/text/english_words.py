"""English words by their part in questions: auxiliaries, prepositions, question words, commands."""

from __future__ import annotations

from qaldgen.features.text.surface import word_set

#: First words of a command, also after "can you", "please" and similar words.
COMMANDS = word_set(
    """name list give show tell count find enumerate identify state mention provide describe define
    write return display get specify select explain determine search choose say retrieve
    compute calculate complete fill recommend suggest compare report indicate locate
    point estimate collect"""
)
AUXILIARIES = word_set(
    """is are was were am do does did has have had can could will would shall should may might must
    isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't
    couldn't won't wouldn't shouldn't ain't isnt arent wasnt werent doesnt didnt dont"""
)
SPELLED = {
    **dict.fromkeys(
        ("what", "what's", "whats", "what're", "what'd", "waht", "wht", "wat", "whate", "whta"),
        "what",
    ),
    **dict.fromkeys(
        word_set("which which's whihc whch wich whichd whic whcih hich whci whichi wchich"),
        "which",
    ),
    **dict.fromkeys(("who", "who's", "whos", "who're", "who'd", "who've", "hwo"), "who"),
    **dict.fromkeys(("when", "when's", "whens", "wehn", "whn"), "when"),
    **dict.fromkeys(
        ("where", "where's", "wheres", "where'd", "wher", "whre", "whee", "wherein"), "where"
    ),
    **dict.fromkeys(("how", "how's", "hows", "how'd", "hoe"), "how"),
    **{word: word for word in ("whom", "whose", "why")},
    "why's": "why",
}
QUESTION_WORDS = frozenset(SPELLED)
PREPOSITIONS = word_set(
    """in on at to from of for by with about under over into during since until through after before
    between among within near against as via around behind beyond upon out"""
)
