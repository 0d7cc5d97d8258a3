"""Makes tests/golden/grada.json: PageRank of GRADA's graphs over real pools by networkx, BM25 by bm25s.

Run from the project root, in a venv with numpy, networkx 3.6.1 and bm25s 0.3.16:
    python scripts/golden/grada.py

bm25s runs in double precision: in the single precision of the released code a hybrid weight that is exactly zero comes out as 1e-8.
"""

import bm25s
import networkx as nx
import numpy as np
from hashing_embedding import embed
from poisoned_pools import digits, dump, poisoned_pools
from text_pools import ROOT

ALPHA = 0.4


def tokens(text):
    return bm25s.tokenize([text], return_ids=False, show_progress=False)[0]


def index(documents):
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    retriever.index(documents, show_progress=False)
    return retriever


def scores(retriever, size, words):
    known = [w for w in words if w in retriever.vocab_dict]
    return np.asarray(retriever.get_scores(known), dtype=float) if known else np.zeros(size)


def symmetric(matrix):
    both = (matrix + matrix.T) / 2
    np.fill_diagonal(both, 0)
    return both


def cosine(rows, others):
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    others = others / np.linalg.norm(others, axis=1, keepdims=True)
    return rows @ others.T


def plain(similarity):
    return np.maximum(similarity, 0)


def hybrid(similarity, to_question):
    to_question = np.maximum(to_question, 0)
    weights = similarity - ALPHA * (to_question[:, None] + to_question[None, :])
    weights[weights < 1e-9 * similarity.max()] = 0
    np.fill_diagonal(weights, 0)
    return weights


def ranked(weights, personalization=None):
    graph = nx.from_numpy_array(weights)
    shares = None if personalization is None else dict(enumerate(personalization))
    ranks = nx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=100_000, personalization=shares)
    values = [ranks[i] for i in range(len(weights))]
    # Ties, here scores that differ by rounding, keep the retriever's order.
    return {"scores": digits(values), "order": sorted(range(len(values)), key=lambda i: (-round(values[i], 11), i))}


out = []
for dataset, query, question, ids, texts in poisoned_pools():
    words = [tokens(text) for text in texts]
    n = len(texts)
    alone = [index([w]) for w in words]
    single = symmetric(np.array([[scores(alone[i], 1, words[j])[0] for j in range(n)] for i in range(n)]))
    pool = index(words)
    pooled = symmetric(np.array([scores(pool, n, w) for w in words]))
    on_question = index([tokens(question)])
    to_question = np.array([scores(on_question, 1, w)[0] for w in words])
    vectors = np.array([embed(text) for text in texts])
    cosines = cosine(vectors, vectors)
    np.fill_diagonal(cosines, 0)
    cosine_to_question = cosine(vectors, embed(question)[None, :])[:, 0]
    out.append(
        {
            "dataset": dataset,
            "query": query,
            "passages": ids,
            "weights=bm25": ranked(plain(single)),
            "weights=hybrid": ranked(hybrid(single, to_question)),
            "weights=embedding": ranked(plain(cosines)),
            "weights=hybrid&similarity=embedding": ranked(hybrid(cosines, cosine_to_question)),
            "weights=bm25&statistics=pool": ranked(plain(pooled)),
            "weights=hybrid&initial=query": ranked(hybrid(single, to_question), to_question),
        }
    )
dump(
    ROOT / "tests" / "golden" / "grada.json",
    {
        "tool": "networkx pagerank(alpha=0.85, tol=1e-13), bm25s BM25(method='lucene', k1=1.5, b=0.75, dtype='float64')",
        "version": "networkx 3.6.1, bm25s 0.3.16",
        "command": "python scripts/golden/grada.py",
        "note": "a passage whose id holds -x is the question, a full stop and that wrong text; embeddings: hashing_embedding.py",
    },
    out,
)
