"""Makes tests/golden/ngram-model.json with NLTK's own Witten-Bell model.

Run from the project root, in a venv with `nltk==3.10.4`:
    python scripts/golden/ngram-model.py > tests/golden/ngram-model.json
"""

import json
import math
import re
import sys

import nltk
from nltk.lm import Vocabulary
from nltk.lm.models import WittenBellInterpolated
from nltk.util import everygrams

TEXTS = [
    "The mayor of the town opened the bridge in 1931.",
    "The bridge of the town was closed in the spring.",
    "A mayor opened the old mill, and the mill was closed in 1940.",
    "Marta Quill was the mayor; the town's old mill burned.",
    "the the the bridge",
    "the mayor of the town opened the mill in the spring",
]
QUERIES = [
    "The mayor of the town opened the bridge.",
    "bridge the spring of old closed mayor",
    "Zoltan Quux opened the mill in 1987",
    "flarn the grubbit of mayor",
    "\u6865 of the town",
    "the",
]
MIN_WORD_COUNT = 2


def surface(text):
    return re.findall(r"\w+(?:'[a-z]+)*", text)


def class_of(word):
    if re.fullmatch(r"[0-9]+[a-z]{0,2}", word):
        return "<number>"
    if word[0].isupper():
        return "<name>"
    return "<word>" if word[0].islower() else "<uncased>"


counts = {}
for text in TEXTS:
    for word in surface(text):
        counts[word.lower()] = counts.get(word.lower(), 0) + 1
vocabulary = {word for word, count in counts.items() if count >= MIN_WORD_COUNT and class_of(word) != "<number>"}
unknown_words = {w for text in TEXTS for w in surface(text) if class_of(w) == "<word>" and w.lower() not in vocabulary}


def tokens(text):
    return [word.lower() if word.lower() in vocabulary else class_of(word) for word in surface(text)]


classes = ["<number>", "<name>", "<word>", "<uncased>"]
result = []
for order in (1, 2, 3):
    model = WittenBellInterpolated(order, vocabulary=Vocabulary(sorted(vocabulary) + classes, unk_cutoff=1))
    grams = [list(everygrams(tokens(text), max_len=order)) for text in TEXTS]
    model.fit(grams + [[(name,)] for name in classes])
    scores = []
    for text in QUERIES:
        line = tokens(text)
        nats = []
        for at, word in enumerate(line):
            context = line[max(0, at - order + 1) : at]
            score = model.score(word, context)
            nats.append(-math.log(score / len(unknown_words) if word == "<word>" else score))
        scores.append(nats)
    result.append({"order": order, "nats": scores})

json.dump(
    {
        "tool": "nltk.lm.models.WittenBellInterpolated",
        "version": nltk.__version__,
        "command": "python scripts/golden/ngram-model.py > tests/golden/ngram-model.json",
        "minWordCount": MIN_WORD_COUNT,
        "vocabulary": classes + sorted(vocabulary),
        "unknownWords": len(unknown_words),
        "texts": TEXTS,
        "queries": QUERIES,
        "orders": result,
    },
    sys.stdout,
    indent=1,
)
