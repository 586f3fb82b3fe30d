"""Replies of a served system to the three kinds of clients."""

import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from qaldgen.plugins.serving import serve


def answer(text: str) -> str:
    """Answer by the last word."""
    return text.split()[-1].strip("?")


with serve(answer) as served:
    address = served.url.rstrip("/")
    asked = {"question": "Which way to Ulm?", "query": "Which way to Ulm?", "lang": "en"}
    chat = {"model": "m", "messages": [{"role": "user", "content": "Question: Which way to Ulm?"}]}
    kind = {"Content-Type": "application/json"}
    for request in (
        Request(f"{address}/gerbil", urlencode(asked).encode()),
        Request(f"{address}/text2sparql?{urlencode({**asked, 'dataset': 'urn:x'})}"),
        Request(f"{address}/v1/chat/completions", json.dumps(chat).encode(), kind),
    ):
        with urlopen(request) as reply:
            said = json.load(reply)
        print(json.dumps({key: said[key] for key in sorted(said) if key not in {"created", "id"}}))
