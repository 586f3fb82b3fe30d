"""Every method on the published data, which take long to load: `published.py FILE`."""

import sys

import qaldgen as qg

METHODS = """feasible feasible-exmp km++ db+km++ agglomerative farthest-first random lpm hybrid
    stratified"""

vectors = qg.select(sys.argv[1], "listing-1.2")
print(len(vectors.ids), vectors.features)
for method in METHODS.split():
    options = {"by": "tps"} if method == "stratified" else {}
    made = qg.sample(vectors, 15, method=method, random_state=3, **options)
    print(made.signature, f"{made.diversity:.9g}")
    print(*(member.iri for member in made.members))
