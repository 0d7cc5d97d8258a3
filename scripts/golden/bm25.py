"""BM25 between the passages of real pools, as GRADA's code computes it and with the pool's own statistics.
Run: python scripts/golden/bm25.py (needs bm25s 0.3.16)."""

import bm25s
from text_pools import pools, write


def tokens(text):
    return bm25s.tokenize([text], return_ids=False, show_progress=False)[0]


def index(texts):
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    retriever.index(texts, show_progress=False)
    return retriever


def scores(retriever, size, query):
    known = [t for t in query if t in retriever.vocab_dict]
    return [float(s) for s in retriever.get_scores(known)] if known else [0.0] * size


def digits(values):
    return [float(f"{v:.7g}") for v in values]


out = []
for dataset, query, question, ids, texts in pools():
    words = [tokens(t) for t in texts]
    n = len(words)
    alone = [index([w]) for w in words]
    one = [[scores(alone[i], 1, words[j])[0] for j in range(n)] for i in range(n)]
    together = index(words)
    pool = [scores(together, n, words[j]) for j in range(n)]
    on_question = index([tokens(question)])
    out.append(
        {
            "dataset": dataset,
            "query": query,
            "passages": ids,
            "words": [len(w) for w in words],
            "single": digits((one[i][j] + one[j][i]) / 2 for i in range(n) for j in range(i + 1, n)),
            "singleQuery": digits(scores(on_question, 1, w)[0] for w in words),
            "pool": digits((pool[i][j] + pool[j][i]) / 2 for i in range(n) for j in range(i + 1, n)),
            "search": digits(scores(together, n, tokens(question))),
        }
    )
write(
    "bm25",
    {
        "tool": "bm25s, BM25(method='lucene', k1=1.5, b=0.75), default tokenizer and stop words, single precision",
        "version": "0.3.16",
        "command": "python scripts/golden/bm25.py",
        "order": "single, pool: pairs i < j, row by row",
        "pools": out,
    },
)
