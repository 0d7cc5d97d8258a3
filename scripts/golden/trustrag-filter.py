"""Makes tests/golden/trustrag-filter.json: what TrustRAG's clean retrieval keeps of real pools, by scikit-learn and rouge_score.

Run from the project root, in a venv with numpy, scikit-learn 1.9.1 and rouge_score 0.1.2:
    python scripts/golden/trustrag-filter.py

The rules are those of the released code, steps 1 to 6 of its description in the project's reference; they are written here in terms of
the two clusters, not of their labels, which are arbitrary. Left out, and listed under "excluded": pools where scikit-learn does not reach
the best of all bipartitions, where two bipartitions are equally good, or where a ROUGE-L of exactly 0.25
comes out of rouge_score's rounding above it.
"""

from itertools import combinations

import numpy as np
from hashing_embedding import embed
from poisoned_pools import digits, dump, poisoned_pools
from rouge_score import rouge_scorer
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import StandardScaler
from text_pools import ROOT

ROUGE = 0.25
# 0.88 is the code's; the others are where clusters of hashed embeddings are dense or not, so that every rule is used.
DENSITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.88)
scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=True)


def scaled(vectors):
    rows = StandardScaler().fit_transform(vectors)
    return rows / np.sqrt((rows**2).sum(axis=1))[:, None]


def inertia(rows, labels):
    return sum(((rows[labels == k] - rows[labels == k].mean(axis=0)) ** 2).sum() for k in (0, 1))


def best_two(rows):
    n = len(rows)
    found = []
    for mask in range(1, 2 ** (n - 1)):
        found.append(inertia(rows, np.array([(mask >> i) & 1 for i in range(n)])))
    return sorted(found)[:2]


def mean_cosine(cosines, members):
    pairs = [cosines[i, j] for i, j in combinations(members, 2)]
    return float(np.mean(pairs)) if pairs else None


def group_filter(rouge, members):
    """What remains after the released filter: one later partner each, and only the first reference is ever compared to."""
    deleted, references = set(), []
    for place, i in enumerate(members):
        if i in deleted:
            continue
        for j in members[place + 1 :]:
            if rouge[i, j] > ROUGE:
                deleted |= {i, j}
                references.append(i)
                break
        if references and rouge[i, references[0]] > ROUGE:
            deleted.add(i)
    return [i for i in members if i not in deleted]


def released(cosines, rouge, clusters, density, gate):
    n = len(cosines)
    if gate and not any(rouge[i, j] > ROUGE for i, j in combinations(range(n), 2)):
        return "gate", list(range(n))
    means = [mean_cosine(cosines, c) for c in clusters]
    for single, other in ((0, 1), (1, 0)):
        if means[single] is None:
            if means[other] > density:
                if cosines[clusters[single][0], clusters[other][0]] > density:
                    return "single-near-dense", []
                return "single-beside-dense", clusters[single]
            return "single-beside-loose", clusters[other]
    high, low = (0, 1) if means[0] > means[1] else (1, 0)
    if means[low] > density:
        return "both-dense", []
    if means[high] < density:
        return "none-dense", sorted(group_filter(rouge, clusters[0]) + group_filter(rouge, clusters[1]))
    return "one-dense", group_filter(rouge, clusters[low])


out, excluded, rules = [], [], {}
for size in (5, 10):
    for dataset, query, question, ids, texts in poisoned_pools(size=size, poisons=lambda index: index % 5):
        vectors = np.array([embed(text) for text in texts])
        rows = scaled(vectors)
        labels = KMeans(n_clusters=2, n_init=10, max_iter=500, random_state=0).fit(rows).labels_
        labels = np.where(labels == labels[0], 0, 1)
        best, second = best_two(rows)
        rouge = np.ones((size, size))
        for i, j in combinations(range(size), 2):
            rouge[i, j] = rouge[j, i] = scorer.score(texts[i], texts[j])["rougeL"].fmeasure
        reason = None
        if inertia(rows, labels) > best + 1e-9:
            reason = "scikit-learn missed the optimum"
        elif second - best < 1e-9:
            reason = "two optima"
        elif np.any((rouge > ROUGE) & (rouge < ROUGE + 1e-9)):
            reason = "a ROUGE-L of 0.25 that rounds above"
        if reason:
            excluded.append({"dataset": dataset, "query": query, "size": size, "reason": reason})
            continue
        cosines = cosine_similarity(vectors)
        clusters = [[i for i in range(size) if labels[i] == k] for k in (0, 1)]
        means = [mean_cosine(cosines, c) for c in clusters]
        kept = {}
        for density in DENSITIES:
            for gate in (True, False):
                rule, remaining = released(cosines, rouge, clusters, density, gate)
                rules[rule] = rules.get(rule, 0) + 1
                kept[f"density={density}&gate={'on' if gate else 'off'}"] = remaining
        out.append(
            {
                "dataset": dataset,
                "query": query,
                "passages": ids,
                "labels": labels.tolist(),
                "means": [m if m is None else digits([m], 9)[0] for m in means],
                "above": [[i, j] for i, j in combinations(range(size), 2) if rouge[i, j] > ROUGE],
                "kept": kept,
            }
        )
print(rules, len(out), excluded)
dump(
    ROOT / "tests" / "golden" / "trustrag-filter.json",
    {
        "tool": "scikit-learn KMeans(n_clusters=2, n_init=10, max_iter=500, random_state=0), rouge_score rougeL (use_stemmer=True)",
        "version": "scikit-learn 1.9.1, rouge_score 0.1.2",
        "command": "python scripts/golden/trustrag-filter.py",
        "note": "a passage whose id holds -x is the question, a full stop and that wrong text; embeddings: hashing_embedding.py",
        "rules": rules,
        "excluded": excluded,
    },
    out,
)
