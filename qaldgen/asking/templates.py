"""Prompts: Jinja templates that get the question, its language, options and retrieved text only."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from qaldgen.asking.record import Posed
from qaldgen.errors import UsageError
from qaldgen.io.web.one_line import one_line

_FOLDER = Path(__file__).parent / "prompts"
#: The prompts that come with qaldgen.
OURS = ("short", "sparql", "passages")
#: The longest prompt in characters: longer ones are a mistake in a template.
_LONGEST = 2_000_000


class Prompt(NamedTuple):
    """A prompt.

    Attributes
    ----------
    name : str
        Its name in a journal, with a hash of the text: another text is another prompt.
    fill : callable
        Makes the message for a question.
    """

    name: str
    fill: Callable[[Posed], str]


def load_prompt(name: str) -> Prompt:
    """Load a prompt, and try it.

    Parameters
    ----------
    name
        One of `OURS`, or a file with a Jinja template, which may use ``question``, ``language``,
        ``options`` (a list) and ``context`` (the retrieved text).

    Returns
    -------
    Prompt
        Ready to be filled.

    Raises
    ------
    UsageError
        If there is no such file, it is not a template, or it uses an unknown variable.

    Examples
    --------
    >>> print(load_prompt("short").fill(Posed("Who is she?")).splitlines()[-1])
    Short answer:
    """
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    path = _FOLDER / f"{name}.j2" if name in OURS else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise UsageError(
            f"{name}: the prompt cannot be read ({reason}); it is {', '.join(OURS)} or a file"
        ) from None
    # A template may come from somebody else: the sandbox keeps it to the variables it is given.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    try:
        template = environment.from_string(text)
    except TemplateError as error:
        raise UsageError(
            f"{name}, line {getattr(error, 'lineno', '?')}: {one_line(str(error))}"
        ) from None

    def fill(posed: Posed) -> str:
        made = template.render(
            question=posed.text,
            language=posed.language,
            options=list(posed.options),
            context=posed.context,
        ).strip()
        if not made or len(made) > _LONGEST:
            raise ValueError(
                f"the prompt has {len(made):,} characters; between 1 and {_LONGEST:,} are sent"
            )
        return made

    try:
        # Every variable is tried now, before the first question is paid for.
        fill(Posed("Who?", options=("one", "two"), context="A text."))
    except Exception as error:  # whatever a template may do
        known = "it knows question, language, options and context"
        raise UsageError(
            f"{name}: the prompt cannot be filled ({one_line(str(error))}); {known}"
        ) from None
    return Prompt(
        f"{name if name in OURS else path.name}@{sha256(text.encode()).hexdigest()[:8]}", fill
    )
