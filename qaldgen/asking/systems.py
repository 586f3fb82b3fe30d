"""The objects for asking a system: settings, question as sent, reply, and sources of texts."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from qaldgen.answers.resume import Fault
from qaldgen.defaults import LANGUAGE, RETRIES
from qaldgen.io.extensions import Table
from qaldgen.io.web.access import hide_credentials
from qaldgen.io.web.client import DEFAULT_SYSTEM_BYTES
from qaldgen.io.web.retries import Gate
from qaldgen.model import Answers, Mention
from qaldgen.options import Bytes, Natural, Option, Price, Seconds

if TYPE_CHECKING:
    from qaldgen.io.web.failure import Failure
    from qaldgen.stores.graphs import KnowledgeGraph


class PosedQuestion(NamedTuple):
    """A question as it is sent to a system: nothing in it reveals the answer.

    Attributes
    ----------
    text : str
        The question.
    language : str
        Its language tag.
    options : tuple of str
        The options of a multiple-choice question.
    context : str
        Retrieved text that belongs to the question.
    id : str
        For our own bookkeeping; it is never sent.
    """

    text: str
    language: str = LANGUAGE
    options: tuple[str, ...] = ()
    context: str = ""
    id: str = ""


class SystemReply(NamedTuple):
    """The reply of a system to a question.

    Attributes
    ----------
    answers : Answers or None
        The answers; None if the system gave a query that has not been executed yet.
    query : str
        The SPARQL query.
    raw : str
        The text of the reply as it came.
    answer_type : str
        The type of the answer that the system names, if it names one.
    mentions : tuple of Mention
        The links of a linker.
    note : str
        A remark about the reply, such as a flaw in its format.
    attempts : int
        The number of requests.
    tokens_in, tokens_out : int or None
        The tokens of prompt and reply, as the system counts them.
    cost : float or None
        The cost; None if it is not known.
    model : str
        The model that answered.
    """

    answers: Answers | None = None
    query: str = ""
    raw: str = ""
    answer_type: str = ""
    mentions: tuple[Mention, ...] = ()
    note: str = ""
    attempts: int = 1
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    model: str = ""


class NoAnswer(Exception):
    """A system did not answer a question.

    Parameters
    ----------
    reason
        Why, in one line that may be shown.
    partial_reply
        The parts of a reply that came, such as its text and cost.
    fault
        Whether the question, the system or nobody is to blame.
    late
        Whether the time ran out.
    failure
        The failure of the connection that is the cause, if it is one.
    """

    def __init__(
        self,
        reason: str,
        partial_reply: SystemReply | None = None,
        fault: Fault = Fault.ONE,
        *,
        late: bool = False,
        failure: Failure | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.partial_reply = partial_reply or SystemReply()
        self.fault = fault
        self.late = late
        self.failure = failure


#: Asks one question; raises `NoAnswer`, or any other exception, if there is no answer.
AskOne: TypeAlias = Callable[[PosedQuestion], Awaitable[SystemReply]]
#: Opens a system for the duration of a run, and returns the function that asks it.
Open: TypeAlias = Callable[[Gate], AbstractAsyncContextManager[AskOne]]


def always_open(ask: AskOne) -> Open:
    """Return the function that opens a system without connections and processes."""

    @asynccontextmanager
    async def opened(_gate: Gate) -> AsyncIterator[AskOne]:
        yield ask

    return opened


class Asker(NamedTuple):
    """A system that is ready to be asked.

    Attributes
    ----------
    name : str
        Its name in a journal: includes everything that changes its answers, and nothing secret.
    open : callable
        Gives the function that asks it, for the duration of the run, with its connections and
        processes. Retries pass the gate.
    timeout : float
        Seconds for one answer, and for the execution of a query.
    kg : LocalStore or Endpoint or None
        The graph on which its queries are executed.
    most : callable
        Returns an upper bound for the cost of a question.
    limited : bool
        Whether we have to enforce the time limit; protocols of the web do it for each try.
    title : str
        A short name for people, of a function or an example; empty where `name` has to do.
    """

    name: str
    open: Open
    timeout: float = 60.0
    kg: KnowledgeGraph | None = None
    most: Callable[[PosedQuestion], float] = lambda _: 0.0
    limited: bool = False
    title: str = ""


@dataclasses.dataclass(frozen=True)
class Chat:
    """The settings for asking a language model.

    Attributes
    ----------
    model : str
        Model name, for openai.
    prompt : str
        Prompt: short, sparql, plain, or a file with a Jinja template over question, language,
        options, context.
    answer_in : str
        How to find the answer in the reply: auto, text, json, tag, lines or sparql. Default: what
        fits the prompt.
    options : mapping of str to object
        Further fields of the request; None removes one of ours (``temperature``, ``seed``,
        ``max_tokens``).
    price_in : float or None
        Price of a million prompt tokens.
    price_out : float or None
        Price of a million reply tokens.

    Examples
    --------
    >>> Chat(model="large").model
    'large'
    """

    model: str = ""
    prompt: str = "short"
    answer_in: str = ""
    options: Mapping[str, object] = dataclasses.field(default_factory=dict, hash=False)
    price_in: Price | None = None
    price_out: Price | None = None


class Search(NamedTuple):
    """A search for articles, for systems that look them up.

    Attributes
    ----------
    name : str
        Its name in a journal.
    titles : callable
        Takes a query, returns the titles found, in order.
    """

    name: str
    titles: Callable[[str], Sequence[str]]


@dataclasses.dataclass(frozen=True, repr=False)
class System:
    """A question answering system that can be asked.

    Attributes
    ----------
    where : str
        An address, a command, ``module:function``, or a file, depending on the protocol.
        Credentials in an address (``user:password@``) are used; those of the environment are safer,
        see `qaldgen.io.web.access`.
    protocol : str
        A key of `qaldgen.asking.protocols.PROTOCOLS`.
    language : str
        The language tag of the questions.
    timeout : float
        Time limit for one complete reply.

        Seconds, from the connection to the last byte.
    retries : int
        Number of retries if the system is busy or drops the connection.

        Further tries after the statuses 408, 425, 429, 502, 503, 504 and after a broken connection.
    backoff : float
        Seconds before the second try, doubled for each further one. A server's Retry-After takes
        precedence. At most 60.
    max_bytes : int
        Maximum size of one reply, in megabytes.

        In Python in bytes, as received and unpacked.
    raw : bool
        Send the question without percent-encoding, as GERBIL does.

        A system that decodes the form in the usual way then gets ``&``, ``+`` and ``%`` wrong.
    dataset : str
        Dataset IRI, for text2sparql.
    kg : LocalStore or Endpoint or None
        The graph on which queries of the system are executed.
    key_file : Path or None
        File with the bearer token, instead of QALDGEN_SYSTEM_TOKEN.
    header_file : Path or None
        File with additional headers, one NAME: VALUE per line, instead of QALDGEN_SYSTEM_HEADERS.
    chat : Chat
        The settings for asking a language model.
    search : Search or None
        The search that functions with a parameter ``search`` get.
    options : mapping of str to object
        The options of its protocol, by their names in Python.

    Examples
    --------
    >>> System("http://localhost:8000/v1", "openai", chat=Chat(model="large")).protocol
    'openai'
    """

    where: str
    protocol: str = "gerbil"
    language: str = LANGUAGE
    timeout: Seconds = 60.0
    retries: Natural = RETRIES
    backoff: float = 1.0
    max_bytes: Bytes = DEFAULT_SYSTEM_BYTES
    raw: bool = False
    dataset: str = ""
    kg: KnowledgeGraph | None = None
    key_file: Path | None = None
    header_file: Path | None = None
    chat: Chat = Chat()
    search: Search | None = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        """Return protocol and address, without credentials and parameters."""
        return f"System({self.protocol}: {hide_credentials(self.where).partition('?')[0]})"


class Source(NamedTuple):
    """A source of articles or texts, described by options.

    Attributes
    ----------
    files : callable
        ``(**options) -> sequence or None``: the files that it reads; None if the options do not ask
        for it. It refuses options that do not fit, before anything is read.
    open : callable
        ``(language, **options)`` returns the `Search` for systems that look things up;
        ``(questions, language, **options)`` the text of each question for prompts, by its id.
    where : str
        The options that request it, for messages.
    options : tuple of Option
        Its options, which become arguments of the functions here and options of the command line.
    """

    files: Callable[..., Sequence[str] | None]
    open: Callable[..., Any]
    where: str
    options: tuple[Option, ...]


#: The searches for systems that look things up; plug-ins add theirs.
SEARCHES: Table[Source] = Table("searches", Source, {})
#: The sources of texts for prompts; plug-ins add theirs.
CONTEXTS: Table[Source] = Table("contexts", Source, {})


class ChosenSource(NamedTuple):
    """A source with its options, and the files that it reads."""

    source: Source
    options: Mapping[str, Any]
    files: Sequence[str]

    def open(self, *arguments: object) -> Any:  # noqa: ANN401 - a search or texts
        """Return the search, or the texts; see `Source`."""
        return self.source.open(*arguments, **self.options)


def chosen_source(table: Table[Source], values: Mapping[str, object]) -> ChosenSource | None:
    """Return the source that options request; None if they request none."""
    for source in table.values():
        options = {each.name: values.get(each.name, each.default) for each in source.options}
        files = source.files(**options)
        if files is not None:
            return ChosenSource(source, options, files)
    return None


def options_of_sources(table: Table[Source]) -> str:
    """Return the options that request sources, for messages."""
    return " or ".join(source.where for source in table.values()) or "nothing here"
