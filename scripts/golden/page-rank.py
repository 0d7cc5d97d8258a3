"""Golden scores for kernels/page-rank.ts.

Run: python3 scripts/golden/page-rank.py   (needs networkx, numpy, scipy; writes tests/golden/page-rank.json)
"""
import json
import pathlib

import networkx as nx
import numpy as np

rng = np.random.RandomState(7)


def scores(weights, damping, teleport):
    n = len(weights)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for i in range(n):
        for j in range(i, n):
            if weights[i][j] > 0:
                graph.add_edge(i, j, weight=weights[i][j])
    person = None if teleport is None else dict(enumerate(teleport))
    found = nx.pagerank(graph, alpha=damping, personalization=person, tol=1e-13, max_iter=100_000)
    return [found[i] for i in range(n)]


def random_weights(n, density, loops=False):
    upper = np.triu(rng.random_sample((n, n)) * (rng.random_sample((n, n)) < density), 0 if loops else 1)
    weights = np.round(upper, 3)
    return (weights + np.triu(weights, 1).T).tolist()


cases = []


def add(name, weights, damping=0.85, teleport=None):
    flat = [w for row in weights for w in row]
    cases.append({"name": name, "n": len(weights), "weights": flat, "damping": damping, "teleport": teleport,
                  "scores": scores(weights, damping, teleport)})


clique = [[1.0 if i != j and i < 4 and j < 4 else 0.0 for j in range(5)] for i in range(5)]
add("clique of four and an isolated node", clique)
add("clique of four, teleport to one member", clique, teleport=[1.0, 0.0, 0.0, 0.0, 0.0])
add("pair", [[0.0, 1.0], [1.0, 0.0]])
for n, density in [(3, 1.0), (6, 0.5), (10, 0.9), (10, 0.2), (50, 0.1), (51, 0.1), (60, 0.05)]:
    add(f"random {n} nodes, density {density}", random_weights(n, density))
add("self-loops", random_weights(7, 0.6, loops=True))
add("damping 0.5", random_weights(8, 0.4), damping=0.5)
add("damping 0.99", random_weights(8, 0.4), damping=0.99)
add("teleport", random_weights(9, 0.3), teleport=[1.0, 2, 3, 4, 5, 0, 0, 0.5, 1])
add("teleport, 55 nodes", random_weights(55, 0.03), teleport=[float(i % 4) for i in range(55)])

out = {"tool": "networkx.pagerank tol=1e-13", "version": nx.__version__, "command": "python3 scripts/golden/page-rank.py", "cases": cases}
pathlib.Path("tests/golden/page-rank.json").write_text(json.dumps(out) + "\n")
