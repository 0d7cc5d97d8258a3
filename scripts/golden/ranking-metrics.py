"""Golden values for the metrics goldRecall, ndcg and mrr: trec_eval itself, through pytrec_eval, on seeded small runs with graded qrels.

Run: python3 scripts/golden/ranking-metrics.py   (needs numpy, pytrec_eval-terrier; writes tests/golden/ranking-metrics.json)
"""
import json
import pathlib
from importlib.metadata import version

import numpy as np
import pytrec_eval

rng = np.random.RandomState(4)
KEEPS = (1, 3, 5, 10)

qrels, run, cases = {}, {}, []
for number in range(60):
    corpus = [f"d{place:02d}" for place in range(16)]
    gold = rng.permutation(corpus)[: 1 + rng.randint(6)]
    grades = {str(document): 1 + rng.randint(3 if number % 2 else 1) for document in gold}
    # Passages that the qrels call irrelevant, as some do in so many words.
    judged = {**{document: 0 for document in corpus[:3] if document not in grades}, **grades}
    context = [str(document) for document in rng.permutation(corpus)[: 1 + rng.randint(12)]]
    qrels[f"q{number}"] = {document: int(grade) for document, grade in judged.items()}
    run[f"q{number}"] = {document: float(len(context) - place) for place, document in enumerate(context)}
    cases.append({"contextGrades": [int(judged.get(document, 0)) for document in context],
                  "goldGrades": sorted((int(grade) for grade in grades.values()), reverse=True)})

cuts = ",".join(str(keep) for keep in KEEPS)
measured = pytrec_eval.RelevanceEvaluator(qrels, {f"ndcg_cut.{cuts}", f"recall.{cuts}", "recip_rank"}).evaluate(run)
for number, case in enumerate(cases):
    result = measured[f"q{number}"]
    case["mrr"] = result["recip_rank"]
    case["ndcg"] = {str(keep): result[f"ndcg_cut_{keep}"] for keep in KEEPS}
    case["goldRecall"] = {str(keep): result[f"recall_{keep}"] for keep in KEEPS}

out = {"tool": "trec_eval (ndcg_cut, recall, recip_rank) through pytrec_eval-terrier", "version": f"pytrec_eval-terrier {version('pytrec_eval-terrier')}",
       "command": "python3 scripts/golden/ranking-metrics.py", "cases": cases}
pathlib.Path("tests/golden/ranking-metrics.json").write_text(json.dumps(out) + "\n")
