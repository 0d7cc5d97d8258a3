"""Golden selections and certificates for kernels/majority-ball.ts and defenses/pra-rag.ts, over real pools.

Run: BEZOAR_SHARED=../shared python3 scripts/golden/pra-rag.py   (needs numpy; writes tests/golden/pra-rag.json)

Every combination's vector is built and every distance taken between vectors: no Gram matrix, no shortcut. The file holds ids and numbers
only; the test makes the same embeddings (hashing_embedding.py, tests/hashing-embedding.ts) from the same texts. Every other pool has one
planted passage in front.
"""
import itertools
import math

import numpy as np

from hashing_embedding import embed
from poisoned_pools import digits, dump, poisoned_pools
from text_pools import ROOT


def combination_vectors(vectors, subsets, combination):
    if combination == "ordered":
        return np.array([np.concatenate([vectors[i] for i in subset]) for subset in subsets])
    return np.array([sum(vectors[i] for i in subset) for subset in subsets])


def distances(points, metric):
    if metric == "angular":
        lengths = np.linalg.norm(points, axis=1)
        return np.arccos(np.clip(points @ points.T / np.outer(lengths, lengths), -1, 1))
    difference = points[:, None, :] - points[None, :, :]
    return np.abs(difference).sum(axis=2) if metric == "manhattan" else np.sqrt((difference**2).sum(axis=2))


def solve(vectors, size, metric, combination, corruption, beta=2):
    count = len(vectors)
    subsets = list(itertools.combinations(range(count), size))
    total = len(subsets)
    apart = distances(combination_vectors(vectors, subsets, combination), metric)
    k = math.ceil((total - 1) / 2)
    radii = [sorted(np.delete(apart[s], s))[k - 1] for s in range(total)]
    # Radii of ties differ in the last digits: the first within 1e-9 of the smallest.
    chosen = next(s for s in range(total) if radii[s] <= min(radii) + 1e-9)
    survivors = math.comb(count - corruption, size)
    index = total // 2 + total - survivors
    reach = apart.copy()
    np.fill_diagonal(reach, 0)
    radius_of = np.sort(reach, axis=1)[:, index]
    rho = max(
        min(radius_of[s] for s in range(total) if not set(subsets[s]) & set(replaced))
        for replaced in itertools.combinations(range(count), corruption)
    )
    radius = radius_of[chosen]
    numbers = digits([radii[chosen], radius, (1 + beta) * radius, radius + rho])
    return {"subset": list(subsets[chosen]), **dict(zip(("medianRadius", "radius", "pad", "padTight"), numbers))}


def cosine(a, b):
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / lengths if lengths > 0 else 0.0


def weights(question, vectors):
    """Equation 4 with negative similarities at 0; equal shares where nothing is similar."""
    similar = [max(0.0, cosine(question, vector)) for vector in vectors]
    return [value / sum(similar) for value in similar] if sum(similar) > 0 else [1 / len(vectors)] * len(vectors)


pools = []
for count, size, distance, combination, corruption, per_dataset in [
    (8, 3, "angular", "ordered", 1, 20),
    (7, 3, "angular", "ordered", 1, 3),
    (12, 3, "angular", "ordered", 1, 3),
    (12, 3, "angular", "ordered", 2, 3),
    (9, 2, "angular", "symmetric", 1, 3),
    (8, 3, "euclidean", "ordered", 1, 3),
    (8, 3, "euclidean", "symmetric", 1, 3),
    (8, 3, "manhattan", "ordered", 1, 3),
]:
    for dataset, query, question, ids, texts in poisoned_pools(per_dataset, count):
        vectors = np.array([embed(text) for text in texts])
        assert all(vector.any() for vector in vectors), query
        found = solve(vectors, size, distance, combination, corruption)
        pools.append({"dataset": dataset, "query": query, "passages": ids,
                      "options": {"subset": size, "distance": distance, "combination": combination, "corruption": corruption},
                      **found, "weights": digits(weights(embed(question), vectors[found["subset"]]))})

dump(ROOT / "tests" / "golden" / "pra-rag.json",
     {"tool": "numpy brute force over concatenated vectors", "version": np.__version__,
      "command": "BEZOAR_SHARED=../shared python3 scripts/golden/pra-rag.py"}, pools)
