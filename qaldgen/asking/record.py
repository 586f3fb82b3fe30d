"""What passes between us and a system that is asked.

The question as it is posed, what is said to it, and whom we ask.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from qaldgen.asking.act.options import Act
from qaldgen.io.web.address import hide_credentials
from qaldgen.io.web.pace import Gate
from qaldgen.io.web.transport import SMALL
from qaldgen.model import Answers, Mention
from qaldgen.runs.resume import Fault

if TYPE_CHECKING:
    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore


class Posed(NamedTuple):
    """A question as it is posed to a system: nothing of it tells the answer.

    Attributes
    ----------
    text : str
        The question.
    language : str
        Its language tag.
    options : tuple of str
        What can be chosen from, for multiple choice.
    context : str
        Retrieved text that belongs to the question.
    id : str
        For our own bookkeeping; it is sent to nobody.
    """

    text: str
    language: str = "en"
    options: tuple[str, ...] = ()
    context: str = ""
    id: str = ""


class Said(NamedTuple):
    """What a system said to a question.

    Attributes
    ----------
    answers : Answers or None
        Its answers; None where it gave a query that is still to be executed.
    query : str
        The SPARQL query it made.
    raw : str
        The reply as it came.
    answer_type : str
        The type that it names, if it does.
    mentions : tuple of Mention
        What a linker found.
    note : str
        What is odd about the reply.
    attempts : int
        How often it was asked.
    tokens_in, tokens_out : int or None
        As it counts them.
    cost : float or None
        What it cost; None where nobody knows.
    model : str
        Which model answered.
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
    reason : str
        Why, in one line that may be shown.
    said : Said
        What it said instead.
    fault : Fault
        What that says of the system.
    late : bool
        Whether the time ran out.
    """

    def __init__(
        self, reason: str, said: Said | None = None, fault: Fault = Fault.ONE, *, late: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason, self.said, self.fault, self.late = reason, said or Said(), fault, late


#: Asks one question; raises `NoAnswer`, or anything else, where there is no answer.
AskOne: TypeAlias = Callable[[Posed], Awaitable[Said]]


class Asker(NamedTuple):
    """Whom to ask.

    Attributes
    ----------
    name : str
        How a journal names it: whatever changes its answers is part of it, and nothing secret.
    open : callable
        Gives what asks it, for as long as the run goes on: connections and processes live in it.
        Further tries pass the gate.
    timeout : float
        Seconds for one answer, and for the execution of a query.
    kg : LocalStore or Endpoint or None
        Where the queries are executed that it makes.
    most : callable
        What one question may cost at most.
    limited : bool
        Whether the time limit is ours to keep; protocols of the web keep it for each try.
    """

    name: str
    open: Callable[[Gate], AbstractAsyncContextManager[AskOne]]
    timeout: float = 60.0
    kg: LocalStore | Endpoint | None = None
    most: Callable[[Posed], float] = lambda _: 0.0
    limited: bool = False


@dataclasses.dataclass(frozen=True)
class Chat:
    """How a language model is asked.

    Attributes
    ----------
    model : str
        Its name at the server.
    prompt : str
        ``short`` or ``sparql``, or a file with a Jinja template.
    answer_in : str
        Where the answer stands in the reply: a key of `qaldgen.asking.replies.READINGS`; empty for
        what suits the prompt.
    options : mapping of str to object
        Further fields of the request; None leaves one of ours out (``temperature``, ``seed``,
        ``max_tokens``).
    price_in, price_out : float or None
        What a million tokens cost.
    """

    model: str = ""
    prompt: str = "short"
    answer_in: str = ""
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    price_in: float | None = None
    price_out: float | None = None


class Search(NamedTuple):
    """Where a system looks up articles.

    Attributes
    ----------
    name : str
        How a journal names it.
    titles : callable
        From a query to the titles that are found, in their order.
    """

    name: str
    titles: Callable[[str], Sequence[str]]


@dataclasses.dataclass(frozen=True, repr=False)
class System:
    """A question answering system that can be asked.

    Attributes
    ----------
    where : str
        Where it is: an address, a command, ``module:function``, or a file, as the protocol has it.
        Credentials in an address (``user:password@``) are used; those of the environment are
        better, see `qaldgen.io.web.credentials`.
    protocol : str
        A key of `qaldgen.asking.protocols.PROTOCOLS`.
    language : str
        The language tag of the questions.
    timeout : float
        Seconds for one whole reply, from the connection to the last byte.
    retries : int
        Further tries after the statuses 408, 425, 429, 502, 503, 504 and after a connection that
        broke off.
    backoff : float
        Seconds before the second try; they double from try to try. A server's Retry-After counts
        more. At most 60.
    max_bytes : int
        The largest reply in bytes, as it comes and unpacked.
    raw : bool
        Send the question as GERBIL does, without percent-encoding: a system that reads the form as
        forms are read then gets ``&``, ``+`` and ``%`` wrong.
    dataset : str
        The IRI of the data set, for TEXT2SPARQL.
    kg : LocalStore or Endpoint or None
        Where the queries are executed that the system makes.
    key_file : Path or None
        A file with the bearer token, where it is not in the environment.
    header_file : Path or None
        A file with further headers, ``NAME: VALUE`` a line, where they are not in the environment.
    chat : Chat
        How a language model is asked.
    search : Search or None
        Where functions look things up that have a parameter ``search``.
    act : Act
        What ACT selects from, and how.
    """

    where: str
    protocol: str = "gerbil"
    language: str = "en"
    timeout: float = 60.0
    retries: int = 2
    backoff: float = 1.0
    max_bytes: int = SMALL
    raw: bool = False
    dataset: str = ""
    kg: LocalStore | Endpoint | None = None
    key_file: Path | None = None
    header_file: Path | None = None
    chat: Chat = Chat()
    search: Search | None = None
    act: Act = dataclasses.field(default_factory=Act)

    def __repr__(self) -> str:
        """Return where it is, without credentials and parameters."""
        return f"System({self.protocol}: {hide_credentials(self.where).partition('?')[0]})"
