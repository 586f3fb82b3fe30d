"""Language models over OpenAI's chat completions, which most servers offer, and their prompts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from qaldgen.answers.resume import Fault
from qaldgen.asking.http_protocols import TextReply, Web, access_of, over_web
from qaldgen.asking.replies import READINGS
from qaldgen.asking.systems import Asker, Chat, NoAnswer, PosedQuestion, System, SystemReply
from qaldgen.errors import UsageError
from qaldgen.io.arguments import one_of
from qaldgen.io.extensions import Table
from qaldgen.io.json_text import member
from qaldgen.io.packages import package_path
from qaldgen.io.text import one_line
from qaldgen.io.web.client import Request, with_parameters
from qaldgen.io.web.failure import FailureKind

_FOLDER = package_path(Path(__file__).parent / "prompts")
_OURS = {name: _FOLDER / f"{name}.j2" for name in ("short", "sparql", "plain")}
#: The files of prompts by name; plug-ins add theirs.
PROMPTS: Table[Path] = Table("prompts", Path, _OURS)
#: The template of a judge that comes with qaldgen.
JUDGE = "judge"
_JUDGE_TEMPLATES = {JUDGE: _FOLDER / f"{JUDGE}.j2"}
#: The longest prompt in characters: longer ones are a mistake in a template.
_MAX_PROMPT_CHARS = 2_000_000
#: Statuses of busy servers, for which a request is tried again, as it has cost nothing.
_RETRIED_STATUSES = frozenset([409, 500])
#: Statuses that end a run: with a wrong key or model no question will be answered.
_FATAL_STATUSES = frozenset([401, 402, 403, 404, 407])
#: How many tokens a server may add to a prompt: roles and markers.
_FRAME_TOKENS = 64
#: Failures before which no token was counted.
_FREE_FAILURES = frozenset(
    [FailureKind.STATUS, FailureKind.REFUSED, FailureKind.NO_HOST, FailureKind.NETWORK]
)
#: Failures whose cause may be another page at the address.
_OTHER_PAGES = frozenset([FailureKind.CONTENT, FailureKind.SIZE])
_DEFAULTS: Mapping[str, object] = {"temperature": 0, "seed": 0, "max_tokens": 256}


class Prompt(NamedTuple):
    """A template of messages."""

    name: str  # its name in a journal, with a hash of the text: another text is another prompt
    text: str  # the template itself
    render: Callable[[Mapping[str, object]], str]  # makes a message from its values

    def fill(self, question: PosedQuestion) -> str:
        """Return the message for a question."""
        values = {
            "question": question.text,
            "language": question.language,
            "context": question.context,
            "options": list(question.options),
        }
        return self.render(values)


def load_prompt(name: str) -> Prompt:
    """Load a prompt, and fill it with samples to test it.

    >>> print(load_prompt("short").fill(PosedQuestion("Who is she?")).splitlines()[-1])
    Short answer:
    """
    prompt = _load_template(name, PROMPTS)
    variables = "it knows question, language, options and context"
    samples = [
        PosedQuestion(f"{word}?", options=("one", "two"), context=f"On {word}.")
        for word in ("Who", "When")
    ]
    messages = {_test(partial(prompt.fill, sample), variables) for sample in samples}
    # two samples are compared, as one may show its question in the context alone
    if len(messages) < len(samples):
        raise UsageError(
            "the prompt does not show the question; write {{ question }} where it belongs",
            where=name,
        )
    return prompt


def load_judge_prompt(name: str) -> Prompt:
    """Load the template of a judge, and fill it with a sample to test it.

    Its variables are ``question``, ``gold`` (a list), ``answer`` and ``language``.

    >>> prompt = load_judge_prompt("judge")
    >>> values = {"question": "Where?", "gold": ["Ulm"], "answer": "Ulm", "language": "en"}
    >>> "Answer to judge: Ulm" in prompt.render(values)
    True
    """
    prompt = _load_template(name, _JUDGE_TEMPLATES)
    answer = "an answer that nobody else gives"
    sample = {"question": "Who?", "gold": ["one", "two"], "answer": answer, "language": "en"}
    message = _test(lambda: prompt.render(sample), "it knows question, gold, answer and language")
    if answer not in message:
        raise UsageError(
            "the template does not show the answer that is judged; write {{ answer }} where it"
            " belongs",
            where=name,
        )
    return prompt


def _load_template(name: str, known: Mapping[str, Path]) -> Prompt:
    """Load a template that comes with qaldgen or from a file; refuse a broken one."""
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    path = known[name] if name in known else Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise UsageError(
            f"the prompt cannot be read ({reason}); it is {', '.join(known)} or a file", where=name
        ) from None
    # A template may come from somebody else: the sandbox keeps it to the variables it is given.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    try:
        template = environment.from_string(text)
    except TemplateError as error:
        raise UsageError(
            one_line(str(error)), where=f"{name}, line {getattr(error, 'lineno', '?')}"
        ) from None

    def render(values: Mapping[str, object]) -> str:
        try:
            # Join the pieces of a prompt, and stop early where a loop makes too many of them.
            pieces = list[str]()
            size = 0
            for piece in template.generate(**values):
                pieces.append(piece)
                size += len(piece)
                if size > _MAX_PROMPT_CHARS:
                    raise ValueError(f"the prompt is longer than {_MAX_PROMPT_CHARS:,} characters")
            message = "".join(pieces).strip()
            if not message:
                raise ValueError("the prompt is empty")
            return message
        except Exception as error:  # whatever a template may do
            raise UsageError(
                f"the prompt cannot be filled ({one_line(str(error))})", where=name
            ) from None

    short_name = name if name in known else Path(name).name
    return Prompt(f"{short_name}@{sha256(text.encode()).hexdigest()[:8]}", text, render)


def _test(fill: Callable[[], str], variables: str) -> str:
    """Fill a template; if that fails, name the variables that it may use."""
    try:
        return fill()
    except UsageError as error:
        raise UsageError(f"{error}; {variables}") from None


class _Model(NamedTuple):
    """A language model with its prompt and the settings of requests."""

    chat: Chat
    prompt: Prompt
    answer_in: str
    fields: Mapping[str, object]

    def body(self, text: str) -> bytes:
        """Return the body of a request."""
        messages = [{"role": "user", "content": text}]
        return json.dumps({"model": self.chat.model, "messages": messages, **self.fields}).encode()

    def most(self, question: PosedQuestion) -> float:
        """Return an upper bound for the cost of a question.

        A token has at least one byte, and the length of the reply is limited.
        """
        if self.chat.price_in is None and self.chat.price_out is None:
            return 0.0
        max_tokens = self.fields.get("max_tokens", self.fields.get("max_completion_tokens"))
        if type(max_tokens) is not int or max_tokens < 1:
            raise UsageError(
                "the cost of a reply without a limit is not known;"
                " set the option max_tokens with the prices"
            )
        try:
            n_bytes = len(self.prompt.fill(question).encode("utf-8", "replace"))
        except Exception:  # reported when the question is asked
            return 0.0
        return _compute_cost(self.chat, n_bytes + _FRAME_TOKENS, max_tokens) or 0.0


def openai(system: System) -> Asker:
    """Return a language model behind an OpenAI-compatible server."""
    chat = system.chat
    if not chat.model:
        raise UsageError(
            "openai needs a model; name it with `model` (a judge's with `judge_model`)"
        )
    answer_in = chat.answer_in
    if not answer_in:
        answer_in = "sparql" if chat.prompt == "sparql" else "auto"
    if answer_in not in READINGS:
        raise UsageError(f"there is no reading {answer_in!r}; {one_of(answer_in, READINGS)}")
    if answer_in == "sparql" and system.kg is None:
        raise UsageError("the model writes queries; name where to execute them with `kg`")
    fields = {**_DEFAULTS, **chat.options}
    fields = {name: value for name, value in fields.items() if value is not None}
    model = _Model(chat, load_prompt(chat.prompt), answer_in, fields)
    access = access_of(system)
    base = access.address.url.rstrip("/").removesuffix("/chat/completions")
    url = with_parameters(f"{base}/chat/completions", access.address.parameters)

    async def ask(web: Web, question: PosedQuestion) -> SystemReply:
        body = model.body(model.prompt.fill(question))
        request = Request(url, body, {"Content-Type": "application/json"})
        try:
            document, reply = await web.json(request)
        except NoAnswer as problem:
            # add the highest possible cost, a hint on the address, and whether the quota is used up
            failure = problem.failure
            hint = ""
            cost: float | None = model.most(question) or None
            if failure is not None:
                if failure.status in {404, 405} or failure.kind in _OTHER_PAGES:
                    hint = _address_hint(access.address.url)
                if failure.kind in _FREE_FAILURES:
                    cost = None
            partial_reply = problem.partial_reply._replace(cost=cost)
            fault = Fault.ALL if "insufficient_quota" in partial_reply.raw else problem.fault
            reason = f"{problem.reason}{hint}"
            raise NoAnswer(reason, partial_reply, fault, late=problem.late) from None
        return _read_completion(web, document, reply, model, max_cost=model.most(question))

    # Other options make another run. Only their hash goes into the journal, since for some servers
    # they contain keys.
    options = sha256(json.dumps(model.fields, sort_keys=True, default=str).encode()).hexdigest()[:8]
    settings = f"{model.prompt.name}, answer in {model.answer_in}, options {options}"
    name = f"{model.chat.model} at {access.address.label}, {settings}, in {system.language}"
    opened = over_web(system, access, ask, retried=_RETRIED_STATUSES, fatal=_FATAL_STATUSES)
    return Asker(name, opened, system.timeout, system.kg, most=model.most)


def _read_completion(
    web: Web, document: dict[str, Any], reply: TextReply, model: _Model, *, max_cost: float
) -> SystemReply:
    """Return the answer in a completion, with its tokens and cost.

    Without a count of tokens, the cost is `max_cost`.
    """
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    finish_reason = member(choice, "finish_reason")
    content = _read_choice(choice)

    usage = document.get("usage")
    model_name = document.get("model")
    tokens_in = _read_token_count(member(usage, "prompt_tokens"))
    tokens_out = _read_token_count(member(usage, "completion_tokens"))
    cost = _compute_cost(model.chat, tokens_in, tokens_out)
    if cost is None:
        cost = max_cost or None
    without_answer = SystemReply(
        raw=reply.text if content is None else content,
        attempts=reply.attempts,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        model=one_line(model_name) if isinstance(model_name, str) else "",
        cost=cost,
    )

    if content is None:
        if finish_reason == "content_filter":
            reason = "the filter of the server withheld the answer"
        elif "choices" in document:
            reason = "the reply has no message"
        else:
            # the reply of another protocol, such as Ollama's own, or an error
            error = document.get("error")
            complaint = member(error, "message") if isinstance(error, dict) else error
            detail = "it has no choices"
            if isinstance(complaint, str):
                detail = one_line(web.access.secrets.mask(complaint))
            hint = _address_hint(web.access.address.url)
            reason = f"the reply is no chat completion ({detail}){hint}"
        fault = Fault.NONE if isinstance(finish_reason, str) and finish_reason else Fault.ONE
        raise NoAnswer(f"{web.name}: {reason}", without_answer, fault)

    try:
        parsed = READINGS[model.answer_in](content)
    except ValueError as error:
        raise NoAnswer(one_line(str(error)), without_answer, Fault.NONE) from None
    except NoAnswer as problem:
        raise NoAnswer(problem.reason, without_answer, Fault.NONE) from None
    note = "the reply was cut at the limit of tokens" if finish_reason == "length" else ""
    return without_answer._replace(answers=parsed.answers, query=parsed.query, note=note)


def _read_choice(choice: object) -> str | None:
    """Return the text of a choice, which may be empty; None if it has none or was filtered."""
    message = member(choice, "message")
    content = member(message, "content")
    if isinstance(content, list):
        parts = [member(part, "text") for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str):
        return content
    is_filtered = member(choice, "finish_reason") == "content_filter"
    if content is None and isinstance(message, dict) and not is_filtered:
        return ""  # some servers write an empty message as null
    return None


def _read_token_count(value: object) -> int | None:
    """Return a number of tokens in a reply; None if it is not a number."""
    if type(value) is int and value >= 0:
        return value
    return None


def _address_hint(url: str) -> str:
    """Return a hint for an address without a version, which may be the cause of a failure."""
    if re.search(r"/v\d", url):
        return ""
    return "; addresses of this protocol usually end in /v1"


def _compute_cost(chat: Chat, tokens_in: int | None, tokens_out: int | None) -> float | None:
    """Return the cost of tokens; None if it is not known."""
    if chat.price_in is None and chat.price_out is None:
        return None
    if tokens_in is None or tokens_out is None:
        return None
    return (tokens_in * (chat.price_in or 0.0) + tokens_out * (chat.price_out or 0.0)) / 1e6
