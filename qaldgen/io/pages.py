"""Render pages of HTML from templates."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, StrictUndefined


def render_page(template: str, filters: dict[str, Callable[..., str]], **values: Any) -> str:  # noqa: ANN401
    r"""Return a page; ``style|digest`` in a template is the hash of a tag for a content policy.

    >>> render_page("<p>{{ text }}</p>", {}, text="<b>")
    '<p>&lt;b&gt;</p>\n'
    """
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters |= {"digest": _digest, **filters}
    return environment.from_string(template).render(**values).rstrip() + "\n"


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode()
