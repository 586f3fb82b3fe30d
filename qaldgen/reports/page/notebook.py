"""A report in a notebook: the page in a frame."""

from __future__ import annotations

from html import escape

from qaldgen.reports.page.contents import Report

#: The height of the frame, in pixels: the first screen.
_HEIGHT = 800


class ShownReport(Report):
    """A report that notebooks show."""

    def _repr_html_(self) -> str:
        """Return the page in a frame, apart from the notebook's scripts and styles."""
        from qaldgen.reports.page.html import render_html

        page = escape(render_html(self).decode("utf-8"))
        sandbox = 'sandbox="allow-scripts allow-downloads allow-popups"'
        size = f'width="100%" height="{_HEIGHT}" frameborder="0"'
        return f'<iframe title="{escape(self.title)}" {sandbox} {size} srcdoc="{page}"></iframe>'
