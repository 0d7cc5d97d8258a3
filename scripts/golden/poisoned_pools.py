"""Pools that the oracles of set-level defenses share: real candidates, in every other pool with PoisonedRAG texts ranked first.

A pool is the first passages of a question whose text (title + newline + text) differs, whitespace aside; a poisoned one starts with
question + "." + wrong text, recorded by the id of the wrong text.
"""

import json

from text_pools import SHARED, lines


def text_of(passage):
    return f"{passage['title']}\n{passage['text']}" if passage.get("title") else passage["text"]


def datasets(names=("realtimeqa", "simpleqa")):
    for name in names:
        folder = SHARED / "data" / name
        corpus = {p["_id"]: text_of(p) for p in lines(folder / "corpus.jsonl")}
        questions = {q["_id"]: q["text"] for q in lines(folder / "queries.jsonl")}
        wrong = {}
        for row in lines(folder / "misinformation.jsonl"):
            wrong.setdefault(row["query_id"], []).append((row["_id"], f"{questions[row['query_id']]}.{row['text']}"))
        yield name, corpus, questions, wrong, lines(folder / "candidates.jsonl")


def poisoned_pools(per_dataset=30, size=10, poisons=lambda index: index % 2):
    """Yields dataset, question id, question, passage ids, texts; `poisons` says how many of the pool at an index are planted."""
    for name, corpus, questions, wrong, candidates in datasets():
        made = 0
        for row in candidates:
            planted = wrong[row["query_id"]][: poisons(made)]
            seen, clean = set(), []
            for passage in row["passage_ids"]:
                key = " ".join(corpus[passage].split())
                if key not in seen:
                    seen.add(key)
                    clean.append((passage, corpus[passage]))
            pool = (planted + clean)[:size]
            if len(pool) < size:
                continue
            yield name, row["query_id"], questions[row["query_id"]], [i for i, _ in pool], [t for _, t in pool]
            made += 1
            if made == per_dataset:
                break


def digits(values, count=13):
    return [float(f"{v:.{count}g}") for v in values]


def dump(path, header, pools):
    """One pool a line, so that a change shows as a change of its line."""
    body = ",\n".join(json.dumps(pool, separators=(",", ":")) for pool in pools)
    head = json.dumps(header)[:-1]
    path.write_text(f'{head}, "pools": [\n{body}\n]}}\n', encoding="utf-8")
    print(path, path.stat().st_size)
