"""What had another name once, and where it is now: modules, public names, verbs and options."""

from __future__ import annotations

#: Modules that other packages imported, and the facade.
MODULES = {
    "qaldgen.api": "qaldgen (verbs) or qaldgen.plugins (those of plug-ins)",
    "qaldgen.asking.record": "qaldgen.asking.systems",
    "qaldgen.asking.sources": "qaldgen.asking.systems",
    "qaldgen.scoring.measure_type": "qaldgen.scoring.measures",
    "qaldgen.stores.execution": "qaldgen.stores.gold_queries",
}
#: Names of `qaldgen`, and the modules that have them.
NAMES = {
    "serve": "qaldgen.plugins.serving",
    "Discovery": "qaldgen.analysis.slices.weak_spots:WeakSpots",
    "FoundSlice": "qaldgen.analysis.slices.weak_spots:WeakSpot",
    "Annotation": "qaldgen.annotation.annotate",
    "Cell": "qaldgen.model",
    "Checked": "qaldgen.checking.check",
    "Comparison": "qaldgen.analysis.comparing.comparison",
    "Consistency": "qaldgen.analysis.comparing.consistency",
    "Decision": "qaldgen.analysis.stopping.gate",
    "Description": "qaldgen.selection.description",
    "EndpointError": "qaldgen.errors",
    "Estimates": "qaldgen.analysis.estimating.estimate",
    "Gold": "qaldgen.scoring.gold",
    "LabelScores": "qaldgen.analysis.labelling.accuracy",
    "Member": "qaldgen.benchmark.benchmark",
    "Plan": "qaldgen.analysis.planning",
    "Ranking": "qaldgen.analysis.stopping.race",
    "Report": "qaldgen.reports.page.contents",
    "Response": "qaldgen.runs.record",
    "Reversal": "qaldgen.analysis.comparing.comparison",
    "StopRule": "qaldgen.analysis.stopping.stop_rule",
    "Study": "qaldgen.analysis.study",
    "Verdicts": "qaldgen.scoring.verdicts",
    "WeakSpot": "qaldgen.analysis.slices.weak_spots",
    "WeakSpots": "qaldgen.analysis.slices.weak_spots",
    "Worksheet": "qaldgen.analysis.labelling.worksheet",
    "endpoint_of": "qaldgen.stores.endpoint",
}
#: By verb and option.
OPTIONS = {
    ("report", "--cube"): "qaldgen score GOLD RUNS --format cube -o FILE",
    ("report", "--leaderboard"): "qaldgen score GOLD RUNS --format leaderboard",
    ("report", "--year"): "qaldgen score GOLD RUNS --format leaderboard --year YEAR",
    ("report", "--reported-by"): "qaldgen score GOLD RUNS --format leaderboard --reported-by TEXT",
    ("slices", "--search"): "qaldgen slices GOLD RUNS (there is one search, on all questions)",
    ("slices", "--depth"): "qaldgen slices GOLD RUNS (kinds have one condition or two)",
    ("slices", "--top"): "qaldgen slices GOLD RUNS (all that is found is printed)",
    ("slices", "--min"): "qaldgen slices GOLD RUNS --min-support N",
}
#: Names of tables: matchers, measures, methods, ...
ROWS = {"exact-first": "exact, with the measure hit-at-1"}
#: By verb, the words that took its place.
VERBS = {
    "annotate-passages": "passages label",
    "features": "list features",
    "losses": "passages losses",
    "read": "passages read",
    "retrieve": "passages retrieve",
}


def instead(verb: str, option: str) -> str:
    """Return the message about an option that moved; empty if it did not."""
    new = OPTIONS.get((verb, option))
    return f"{verb} has no {option} any more; write: {new}" if new else ""
