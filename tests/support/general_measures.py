"""The measures that every matcher fills; those of one matcher are tested with it."""

from __future__ import annotations

from qaldgen.scoring.measures import MEASURES, Measure

GENERAL: dict[str, Measure] = {
    name: measure for name, measure in MEASURES.items() if not measure.matcher
}
