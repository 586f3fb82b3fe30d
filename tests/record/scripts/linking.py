"""Mentions as a linker might find them, from the queries: `linking.py QUESTIONS TARGET`."""

import json
import re
import sys
from pathlib import Path

found = {}
for question in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["questions"]:
    query = question["query"]["sparql"]
    prefixes = dict(re.findall(r"PREFIX (\w*): *<([^>]+)>", query))
    names = [prefixes[p] + n for p, n in re.findall(r"(\w+):(\w+)", query) if p in prefixes]
    found[question["id"]] = {"entities": names[:1], "relations": names[1:2], "classes": names[-1:]}
Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")
