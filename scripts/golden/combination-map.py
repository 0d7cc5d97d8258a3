"""The combinations of passages as PRA-RAG compares them, from their joined vectors themselves: which is at the centre of the smallest ball
over half of the others, how far the nearest with a poisoned passage is, and all in the plane of their first two principal components.

    python scripts/golden/combination-map.py > tests/golden/combination-map.json
"""

import itertools
import json
import sys

import numpy as np


def angle(a, b):
    return float(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1)))


def positive(column):
    """A component's sign is free: what is farthest from 0 is positive."""
    return column if column[np.argmax(np.abs(column))] > 0 else -column


def case(random, count, size, dimensions, poisoned, spread):
    centre = random.normal(size=dimensions)
    passages = centre + 0.6 * random.normal(size=(count, dimensions))
    passages[poisoned] += spread * random.normal(size=dimensions)
    passages = passages.astype(np.float32)
    subsets = list(itertools.combinations(range(count), size))
    joined = np.array([np.concatenate(passages[list(subset)]) for subset in subsets], dtype=np.float64)
    distances = np.array([[angle(a, b) for b in joined] for a in joined])
    np.fill_diagonal(distances, 0)
    radii = [np.sort(np.delete(row, i))[len(subsets) // 2 - 1] for i, row in enumerate(distances)]
    selected = int(np.argmin(radii))
    marks = [sum(passage in poisoned for passage in subset) for subset in subsets]
    left, singular, _ = np.linalg.svd(joined - joined.mean(axis=0), full_matrices=False)
    plane = np.stack([positive(left[:, k] * singular[k]) for k in (0, 1)], axis=1)
    return {
        "vectors": passages.astype(float).tolist(),
        "poisoned": [i in poisoned for i in range(count)],
        "selected": list(subsets[selected]),
        "selectedIndex": selected,
        "marks": marks,
        "radius": float(radii[selected]),
        "nearestPoisoned": min((float(d) for d, mark in zip(distances[selected], marks) if mark), default=None),
        "points": plane.tolist(),
        "explained": float(np.sum(singular[:2] ** 2) / np.sum(singular**2)),
    }


def main():
    random = np.random.RandomState(7)
    cases = [
        case(random, 8, 3, 6, [0], 3),
        case(random, 8, 3, 12, [2, 5, 6], 2),
        case(random, 10, 3, 16, [0, 1, 2, 3, 4, 5, 6], 1),
        case(random, 8, 3, 5, [], 1),
        case(random, 6, 2, 4, [5], 2),
        case(random, 4, 1, 3, [1], 2),
    ]
    golden = {
        "tool": "numpy",
        "version": np.__version__,
        "command": "python scripts/golden/combination-map.py > tests/golden/combination-map.json",
        "cases": cases,
    }
    json.dump(golden, sys.stdout)
    print()


if __name__ == "__main__":
    main()
