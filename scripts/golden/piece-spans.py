"""Makes tests/golden/piece-spans.json: where the pieces of ordinary and hostile strings stand, by Python's tokenizers.

Run from the project root, in a venv with `tokenizers`, after wordpiece.py:
    python scripts/golden/piece-spans.py ../shared/models/all-MiniLM-L6-v2/tokenizer.json > tests/golden/piece-spans.json

Offsets are counted in UTF-16 units, as JavaScript does. The texts are those of tests/golden/wordpiece.json.
"""

import json
import sys
from pathlib import Path

import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

vocabulary = json.load(open(sys.argv[1], encoding="utf-8"))["model"]["vocab"]
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
tokenizer.normalizer = normalizers.BertNormalizer()
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

# check.py runs a copy, beside which only packages/ is the project's own.
project = (Path(__file__).resolve().parents[2] / "packages").resolve().parent
source = project / "tests" / "golden" / "wordpiece.json"
cases = []
for case in json.loads(source.read_text(encoding="utf-8"))["cases"]:
    text = case["text"]
    units = [0]
    for character in text:
        units.append(units[-1] + (2 if ord(character) > 0xFFFF else 1))
    cases.append({"text": text, "spans": [[units[start], units[end]] for start, end in tokenizer.encode(text).offsets]})

json.dump(
    {
        "tool": "tokenizers",
        "version": tokenizers.__version__,
        "command": "python scripts/golden/piece-spans.py ../shared/models/all-MiniLM-L6-v2/tokenizer.json > tests/golden/piece-spans.json",
        "cases": cases,
    },
    sys.stdout,
    ensure_ascii=True,
    separators=(",", ":"),
)
print()
