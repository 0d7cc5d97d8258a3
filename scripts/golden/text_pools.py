"""Pools that the text oracles share: the first ten candidates of questions of two data sets, as title + newline + text."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = (ROOT / os.environ.get("BEZOAR_SHARED", "../shared")).resolve()


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def pools(per_dataset=30, size=10):
    for dataset in ("realtimeqa", "simpleqa"):
        folder = SHARED / "data" / dataset
        passages = {p["_id"]: p for p in lines(folder / "corpus.jsonl")}
        questions = {q["_id"]: q["text"] for q in lines(folder / "queries.jsonl")}
        for row in lines(folder / "candidates.jsonl")[:per_dataset]:
            ids = row["passage_ids"][:size]
            texts = [f"{passages[i]['title']}\n{passages[i]['text']}" if passages[i]["title"] else passages[i]["text"] for i in ids]
            yield dataset, row["query_id"], questions[row["query_id"]], ids, texts


def write(name, body):
    path = ROOT / "tests" / "golden" / f"{name}.json"
    path.write_text(json.dumps(body, ensure_ascii=True, separators=(",", ":")).replace('},{"dataset"', '},\n{"dataset"') + "\n", encoding="utf-8")
    print(path, path.stat().st_size)
