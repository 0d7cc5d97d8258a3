"""ROUGE-L F1 of all pairs in real pools. Run: python scripts/golden/rouge-l.py (needs rouge_score 0.1.2, nltk 3.10.4)."""

from rouge_score.rouge_scorer import RougeScorer
from text_pools import pools, write

scorer = RougeScorer(["rougeL"], use_stemmer=True)
out = []
for dataset, query, _, ids, texts in pools():
    f1, above = [], ""
    for i in range(len(texts)):
        for j in range(i + 1, len(texts)):
            value = scorer.score(texts[i], texts[j])["rougeL"].fmeasure
            f1.append(round(value, 9))
            above += "1" if value > 0.25 else "0"
    out.append({"dataset": dataset, "query": query, "passages": ids, "f1": f1, "above": above})
write(
    "rouge-l",
    {
        "tool": "rouge_score, RougeScorer(['rougeL'], use_stemmer=True)",
        "version": "rouge_score 0.1.2, nltk 3.10.4",
        "command": "python scripts/golden/rouge-l.py",
        "order": "pairs i < j, row by row; above: F1 > 0.25",
        "pools": out,
    },
)
