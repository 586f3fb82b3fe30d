"""The public functions on the examples: what they return, as numbers."""

from pathlib import Path

import pandas as pd

import qaldgen as qg
from qaldgen.plugins.checking import check
from qaldgen.plugins.labelling import label
from qaldgen.plugins.stopping import gate, race, stop_rule

GOLD, GRAPH = "examples/questions.json", "examples/graph.ttl"


def show(title: str, *found: object) -> None:
    """Print results; tables as CSV, so that no display setting matters."""
    print("#", title)
    for one in found:
        table = one.to_frame() if isinstance(one, pd.Series) else one
        print(table.to_csv(float_format="%.9g") if isinstance(table, pd.DataFrame) else table)


def sampling() -> None:
    """Select, sample, cluster."""
    vectors = qg.select("examples/features.ttl", "annotated", scaling="rank", missing="mean")
    show("select", vectors.to_frame().describe(), vectors.notes, vectors.dropped)
    bench = qg.sample(vectors, 100, method="lpm", random_state=5, title="Forty")
    bench.save("bench.ttl")
    again = qg.load_benchmark("bench.ttl")
    show("sample", bench, bench.signature, bench.design, again.to_frame(), again.iri == bench.iri)
    clusters = qg.cluster(vectors, 4, random_state=2)
    clusters.save("clusters.ttl")
    show("cluster", clusters.cluster_sizes, [len(one) for one in clusters.pool_clusters])
    show("with_clusters", sorted(qg.with_clusters(GOLD, "clusters.ttl").clusters.items())[:20])


def describing() -> None:
    """Load, describe, check, annotate."""
    asked = qg.load(GOLD)
    show("load", asked.name, asked.format, asked.sha256, len(asked.questions))
    first = asked.questions[0]
    show("question", first.id, first.texts, first.queries, first.answers and first.answers.values())
    described = qg.describe("examples/features.ttl")
    show("describe", described.properties, described.languages, described.queries)
    show("check", *((f.rule, f.level, f.question) for f in check(GOLD, source=GRAPH).findings))
    made = qg.annotate(asked, labels=GRAPH, train="examples/training.tsv")
    show("annotate", made.notes, made.unparsable)
    for values in (made.values[0][at] for at in (0, 100, 244)):
        sets = {name: sorted(one) for name, one in values.items() if isinstance(one, frozenset)}
        show("values", {**values, **sets})


def scoring() -> None:
    """Score, compare, estimate, decide."""
    runs = ["typed.jsonl", "templates.jsonl", "lookup.jsonl"]
    for match in ("gerbil", "strict", "contains"):
        show(f"score {match}", qg.score(GOLD, "typed.jsonl", match=match).measures())
    scores = qg.score(GOLD, "templates.jsonl")
    show("score", scores.counts.head(40), scores.notes)
    table = pd.DataFrame({Path(run).stem: qg.score(GOLD, run).counts["f1"] for run in runs[1:]})
    table.index.name = "id"
    table.to_csv("past.csv")
    compared = qg.compare(GOLD, runs, by="answerType", tests=qg.Significance(n_resamples=1000))
    show("compare", compared.overall, compared.pairs, compared.winners, compared.reversals)
    show("slices", qg.slices(GOLD, runs).table())
    show("estimate", qg.estimate("bench.ttl", "typed.jsonl", others="past.csv").table)
    decided = gate("bench.ttl", "typed.jsonl", above=0.6, record=False)
    show("gate", decided.verdict, decided.asked, decided.table)
    best = race("bench.ttl", runs)
    show("race", best.alive, best.calls, best.table)
    show("plan", qg.plan("past.csv", error=0.04).errors, qg.plan("past.csv").differences)
    rule = stop_rule("bench.ttl", until=0.09)
    for at, question in enumerate(rule.order):
        rule.see(question, float(at % 3 == 0))
        if reason := rule.stop():
            break
    show("stop_rule", at, reason)


def labelling() -> None:
    """Label, judge, report."""
    sheet = label(GOLD, "typed.jsonl", 20, random_state=3)
    show("label", [item.question.id for item in sheet.items], sheet.answers)
    asked = qg.load("few.tsv")
    run = qg.read_run("few.jsonl", gold=asked)
    verdicts = qg.judge(asked, run, lambda text: "yes" if len(text) % 2 else "no")
    show("judge", sorted(verdicts.found.items()), verdicts.notes)
    made = qg.report(
        GOLD, ["typed.jsonl", "lookup.jsonl"], by="whType", tests=qg.Significance(n_resamples=1000)
    )
    show("report", made.summary, made.scores, made.statuses)
    show("write_report", *qg.write_report(made, "report.md"))


describing()
sampling()
scoring()
labelling()
