"""Golden values for kernels/fragment-votes.ts and kernels/ragpart-theory.ts.

Run: python3 scripts/golden/ragpart.py ../shared/papers/002_5b10d72be5b5d520.txt   (needs numpy; writes tests/golden/ragpart.json)
The votes come from databases that are made, one mean of fragments for each combination. The ticks of tables 2 to 5 are read from the paper's
text (y holds, n does not, - not defined); the counts from enumerating every combination, not from the formulas.
"""
import itertools
import json
import pathlib
import re
import sys

import numpy as np

rng = np.random.RandomState(5)


def ballots():
    for case, (fragments, combine, places, similarity) in enumerate(
        itertools.chain.from_iterable(
            [(5, 1, 3, s), (5, 3, 3, s), (5, 5, 3, s), (7, 4, 5, s), (10, 3, 4, s), (4, 2, 50, s)] for s in ("dot", "cosine")
        )
    ):
        count, width = 12 + 4 * (case % 3), 8
        centre = rng.normal(size=(count, 1, width))
        vectors = np.round(centre + 0.7 * rng.normal(size=(count, fragments, width)), 2)
        question = np.round(rng.normal(size=width), 2)
        votes = np.zeros(count, dtype=int)
        for subset in itertools.combinations(range(fragments), combine):
            database = vectors[:, subset, :].mean(axis=1)
            scores = database @ question
            if similarity == "cosine":
                scores = scores / np.linalg.norm(database, axis=1) / np.linalg.norm(question)
            votes[np.argsort(-scores, kind="stable")[:places]] += 1
        yield {
            "fragments": fragments, "combine": combine, "places": places, "similarity": similarity,
            "question": question.tolist(), "vectors": vectors.tolist(), "votes": votes.tolist(),
        }


def tables(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for number, mechanism, poisoned in ((2, "naive", 2), (3, "part", 2), (4, "naive", 3), (5, "part", 3)):
        after = text[re.search(rf"^\*\*Table {number}:\*\*", text, re.M).end():]
        rows = re.findall(r"^(\d+)\t([^\n]+)$", after, re.M)[:13]
        assert [int(n) for n, _ in rows] == list(range(3, 16))
        marks = ["".join({"\u2713": "y", "\u2717": "n", "N/A": "-"}[cell] for cell in cells.split("\t")) for _, cells in rows]
        assert all(len(row) == 13 for row in marks)
        yield {"table": number, "mechanism": mechanism, "poisoned": poisoned, "rows": marks}


def counts():
    for fragments in range(1, 11):
        for combine in range(1, fragments + 1):
            for poisoned in range(0, fragments + 1):
                held = [sum(i < poisoned for i in subset) for subset in itertools.combinations(range(fragments), combine)]
                yield [fragments, combine, poisoned, len(held), sum(h >= 1 for h in held), sum(h >= 2 for h in held)]


golden = {
    "tool": "numpy",
    "version": np.__version__,
    "command": "python3 scripts/golden/ragpart.py ../shared/papers/002_5b10d72be5b5d520.txt",
    "ballots": list(ballots()),
    "tables": list(tables(sys.argv[1])),
    "counts": {"columns": ["fragments", "combine", "poisoned", "total", "xNaive", "xPart"], "rows": list(counts())},
}
out = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "ragpart.json"
out.write_text(json.dumps(golden, separators=(",", ":")) + "\n", encoding="utf-8")
