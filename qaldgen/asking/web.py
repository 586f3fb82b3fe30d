"""Ask a system over HTTP.

The request goes through the one client, and what goes wrong is said in the same way everywhere.
"""

from __future__ import annotations

from email.message import Message
from typing import NamedTuple

from qaldgen.asking.record import NoAnswer, Said, System
from qaldgen.io.web.body import parse_json, read_text
from qaldgen.io.web.credentials import SYSTEM, Access, find_access
from qaldgen.io.web.failure import Failure, Kind
from qaldgen.io.web.pace import Gate
from qaldgen.io.web.transport import Limits, Request, send
from qaldgen.io.web.tries import Patience, with_tries_async
from qaldgen.runs.resume import Fault

_TODO = {Kind.TIMEOUT: "; --timeout allows more", Kind.SIZE: "; --max-reply allows more"}
#: No question is answered where we are not let in, or do not pay.
_SHUT = frozenset([401, 402, 403, 407])


class Text(NamedTuple):
    """A reply as text, its headers, and how often it was asked for."""

    text: str
    headers: Message
    attempts: int


class Web(NamedTuple):
    """A system on the web.

    Attributes
    ----------
    system : System
        What the user says of it.
    access : Access
        Where it is, and as whom it is asked.
    gate : Gate
        What further tries pass.
    also : frozenset of int
        Statuses after which another try may help this kind of system, beside those that help all.
    shut : frozenset of int
        Statuses after which no question will be answered.
    """

    system: System
    access: Access
    gate: Gate
    also: frozenset[int] = frozenset()
    shut: frozenset[int] = _SHUT

    @property
    def name(self) -> str:
        """What messages show of its address."""
        return self.access.address.name

    async def text(self, request: Request) -> Text:
        """Return the text of the reply to a request.

        Raises
        ------
        NoAnswer
            If there is none, or it holds our credentials.
        """
        limits = Limits(self.system.timeout, self.system.max_bytes)
        patience = Patience(self.system.retries, self.system.backoff, self.also)
        try:
            reply, tries = await with_tries_async(
                lambda: send(request, self.access, limits), patience, self.name, self.gate
            )
            return Text(
                read_text(reply.body, reply.headers, self.access.secrets), reply.headers, tries
            )
        except Failure as failure:
            problem = self.problem(failure)
        raise problem  # here, where no traceback shows what the server said

    def problem(self, failure: Failure) -> NoAnswer:
        """Return what is said of a reply that did not come."""
        tries = f" ({failure.tries} tries)" if failure.tries > 1 else ""
        fault = Fault.ALL if failure.status in self.shut else Fault.ONE
        said = Said(raw=failure.page, attempts=failure.tries)
        reason = f"{self.name}: {failure.reason}{tries}{_TODO.get(failure.kind, '')}"
        return NoAnswer(reason, said, fault, late=failure.kind is Kind.TIMEOUT)

    async def json(self, request: Request) -> tuple[dict[str, object], Text]:
        """Return the JSON object that a request gives, and the text it was."""
        reply = await self.text(request)
        try:
            document = parse_json(reply.text, strict=False)
            reason = "" if isinstance(document, dict) else "the reply is JSON, but no object"
        except Failure as failure:
            reason = failure.reason
        if reason:
            raise self.odd(reason, reply)
        return document, reply

    def odd(self, reason: str, reply: Text) -> NoAnswer:
        """Return what is said of a reply that is none of the protocol."""
        return NoAnswer(f"{self.name}: {reason}", Said(raw=reply.text, attempts=reply.attempts))


def access_of(system: System) -> Access:
    """Return where a system is and as whom it is asked.

    Raises UsageError if its URL is none, or a credential is incomplete.
    """
    return find_access(system.where, SYSTEM, system.key_file, system.header_file)


def same_question(ours: str, theirs: str) -> bool:
    """Say whether a reply repeats our question; signs that another encoding damages do not count.

    Examples
    --------
    >>> same_question("Who is Éa?", "who is Ã‰a ?"), same_question("Who is she?", "Who is he?")
    (True, False)
    """
    return _plain(ours) == _plain(theirs)


def _plain(text: str) -> str:
    letters = [sign for sign in text.casefold() if sign.isalnum()]
    plain = [sign for sign in letters if sign.isascii()]
    return "".join(plain if len(plain) > len(letters) / 2 else letters)
