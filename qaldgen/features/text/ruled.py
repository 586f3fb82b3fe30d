"""A label together with the rule that gives it, so that a wrong label can be traced."""

from __future__ import annotations

from typing import NamedTuple


class Ruled(NamedTuple):
    """A label, and the rule that gives it.

    Attributes
    ----------
    label : str
        A code of a feature.
    rule : str
        What in the text decided, in a few words.
    """

    label: str
    rule: str
