"""Fill in a worksheet by a rule: `fill.py SHEET FILLED STEP`; every STEP-th row is wrong."""

import csv
import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8-sig", newline="") as file:
    rows = list(csv.DictReader(file))
for number, row in enumerate(rows):
    row["label"] = "n" if number % int(sys.argv[3]) == 0 else "y"
with Path(sys.argv[2]).open("w", encoding="utf-8", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
