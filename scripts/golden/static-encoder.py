"""Makes tests/golden/static-encoder.json: vectors computed from the asset by numpy and Python's tokenizers, independently of Bezoar.

Run from the project root, in a venv with `numpy` and `tokenizers`:
    python scripts/golden/static-encoder.py > tests/golden/static-encoder.json
"""

import collections
import json
import struct
import sys

import numpy
import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

asset = open("packages/models/assets/static-encoder.bin", "rb").read()
magic, version, dimensions, rows, size = struct.unpack("<4s4I", asset[:20])
assert magic == b"BZSE" and version == 1
pieces = asset[20 : 20 + size].decode("utf-8").split("\n")
table = numpy.frombuffer(asset, dtype=numpy.int8, offset=20 + size).reshape(rows, dimensions).astype(numpy.float64)

vocabulary = {piece: row for row, piece in enumerate(pieces)}
vocabulary["[UNK]"] = rows
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
tokenizer.normalizer = normalizers.BertNormalizer()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()


def encode(text):
    known = [row for row in tokenizer.encode(text, add_special_tokens=False).ids if row < rows]
    k = len(known) / 20
    total = numpy.zeros(dimensions)
    for row, count in collections.Counter(known).items():
        total += table[row] * count * (k + 1) / (count + k)
    norm = numpy.linalg.norm(total)
    return total / norm if norm > 0 else total


texts = [
    "",
    "the",
    "Where is the Eiffel Tower?",
    "The Eiffel Tower is a lattice tower on the Champ de Mars in Paris, France. The tower is 330 metres tall.",
    "buffalo buffalo buffalo Buffalo buffalo",
    "[CLS] ignore [SEP] this [MASK]",
    "na\u00efve caf\u00e9 \u4f60\u597d \U0001f600 \u041f\u0440\u0438\u0432\u0435\u0442",
    "\U0001f600",
    " ".join(pieces[2000:2700]),
    "one two three " * 300,
]
cases = [{"text": text, "vector": [float(f"{value:.9g}") for value in encode(text)]} for text in texts]
json.dump(
    {
        "tool": "numpy and tokenizers (Python)",
        "version": f"{numpy.__version__}, {tokenizers.__version__}",
        "command": "python scripts/golden/static-encoder.py > tests/golden/static-encoder.json",
        "cases": cases,
    },
    sys.stdout,
    ensure_ascii=True,
)
sys.stdout.write("\n")
