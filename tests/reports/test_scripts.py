"""The scripts of the page.

In one piece each after what it needs, and the vendored file is the one that was looked at.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

from qaldgen.reports.page.html import bundle_script

FOLDER = files("qaldgen.reports.page") / "scripts"
#: Of d3.js as build.sh makes it; a new version gets a new sum after somebody looked at it.
D3_SHA256 = "f0f43182781439c9e15599abdc64d40cd89defa9edb85c484b498541018c6365"


def test_the_vendored_file_is_the_one_that_was_looked_at_and_its_licence_is_there() -> None:
    assert hashlib.sha256((FOLDER / "vendor" / "d3.js").read_bytes()).hexdigest() == D3_SHA256
    assert "Permission to use, copy, modify" in (FOLDER / "vendor" / "LICENSE-d3.txt").read_text(
        encoding="utf-8"
    )


def test_nothing_vendored_needs_what_the_policy_forbids() -> None:
    text = (FOLDER / "vendor" / "d3.js").read_text(encoding="utf-8")
    assert re.findall(r"\beval\(|new Function|document\.write", text) == []


def test_modules_stand_once_and_after_what_they_need() -> None:
    text = bundle_script("report.js")
    names = re.findall(r"^// ([\w/]+\.js)$", text, re.MULTILINE)
    assert len(set(names)) == len(names)
    assert names[-1] == "report.js"
    assert names.index("vendor/d3.js") < names.index("ranking.js")
    assert re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE) == []


def test_modules_have_different_names_at_the_top() -> None:
    own = bundle_script("report.js").replace(
        (FOLDER / "vendor" / "d3.js").read_text(encoding="utf-8"), ""
    )
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", own, re.MULTILINE)
    assert [name for name in names if names.count(name) > 1] == []
