"""What the explorer's page is told: `exploring.py DATA RUN`."""

import json
import re
import subprocess
import sys
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

call = [sys.executable, "-m", "qaldgen", "serve", *sys.argv[1:], "--port", "0", "--no-open"]
process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True)
assert process.stderr is not None
found = None
while found is None:
    line = process.stderr.readline()
    assert line, "the explorer ended"
    found = re.search(r"(http://127\.0\.0\.1:\d+)(/\S*)", line)
    if found is None:
        print(line, end="")
address = found[1]
with urlopen(found[1] + found[2]) as page:
    text = page.read().decode()
token = re.search(r'token[^>]*?content="([^"]+)"|token = "([^"]+)"', text)
assert token is not None, text[:3000]
secret = token[1] or token[2]
print(text.replace(secret, "TOKEN"))


def ask(name: str, **wanted: object) -> Any:  # noqa: ANN401 - JSON
    """Ask as the page does."""
    headers = {"X-Qaldgen-Token": secret, "Origin": address, "Content-Type": "application/json"}
    try:
        with urlopen(
            Request(f"{address}/api/{name}", json.dumps(wanted).encode(), headers)
        ) as told:
            return json.load(told)
    except HTTPError as error:
        return json.load(error)


try:
    data = ask("open-sets")["open"][0]["id"]
    chosen = {"data": data, "query": "annotated", "method": "lpm", "size": 10}
    names = ("start", "data", "pool", "query", "sample", "figures", "compare", "screen")
    for name in names:
        told = json.dumps(ask(name, **chosen), indent=1, ensure_ascii=False)
        print(name, told.replace(data, "DATA"))
finally:
    process.terminate()
    process.wait()
