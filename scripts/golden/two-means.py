"""Golden splits for kernels/two-means.ts and values for kernels/standardize-rows.ts.

Run: python3 scripts/golden/two-means.py   (needs numpy, scikit-learn; writes tests/golden/two-means.json)
The optimum is found by trying every bipartition; scikit-learn's KMeans, as TrustRAG calls it, is recorded beside it.
"""
import itertools
import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
rng = np.random.RandomState(11)


def inertia(points, labels):
    return sum(((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum() for c in (0, 1) if (labels == c).any())


def optimum(points):
    best = None
    for rest in itertools.product((0, 1), repeat=len(points) - 1):
        labels = np.array((0, *rest))
        if labels.any():
            value = inertia(points, labels)
            if best is None or value < best[0] - 1e-12:
                best = (value, labels)
    return best


cases = []
for case in range(16):
    n, width = 2 + case % 10, 2 + case % 5
    rows = np.round(rng.normal(size=(n, width)) + (rng.random_sample((n, 1)) < 0.4) * 1.5, 3).astype(np.float32)
    standard = StandardScaler().fit_transform(rows.astype(np.float64))
    norms = np.linalg.norm(standard, axis=1, keepdims=True)
    standard = np.divide(standard, norms, out=np.zeros_like(standard), where=norms > 0)
    value, labels = optimum(standard)
    means = KMeans(n_clusters=2, n_init=10, max_iter=500, random_state=0).fit(standard)
    cases.append({"rows": rows.tolist(), "standardized": standard.tolist(), "labels": labels.tolist(), "withinSumOfSquares": value,
                  "sklearnInertia": float(means.inertia_)})

out = {"tool": "numpy brute force; sklearn StandardScaler, KMeans(n_init=10, random_state=0)",
       "version": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}",
       "command": "python3 scripts/golden/two-means.py", "cases": cases}
pathlib.Path("tests/golden/two-means.json").write_text(json.dumps(out) + "\n")
