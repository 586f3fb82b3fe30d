"""Text of others in our messages: an error is one line, whatever a server says."""

from __future__ import annotations


def one_line(text: str) -> str:
    r"""Return `text` on one line of at most 200 characters, without control characters.

    Examples
    --------
    >>> one_line("Error SP030:\r\n\tsyntax error ")
    'Error SP030: syntax error'
    """
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return plain if len(plain) <= 200 else plain[:199] + "…"
