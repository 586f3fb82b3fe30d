"""Write the first entries of a question set: `first.py SOURCE N TARGET`."""

import json
import sys
from pathlib import Path

source, count, target = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
text = source.read_text(encoding="utf-8")
if source.suffix == ".json":
    data = json.loads(text)
    if isinstance(data, list):
        data = data[:count]
    else:
        data["questions" if "questions" in data else "data"][count:] = []
    target.write_text(json.dumps(data), encoding="utf-8")
else:
    target.write_text("".join(text.splitlines(keepends=True)[:count]), encoding="utf-8")
