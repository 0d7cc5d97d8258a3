"""Seeds derived from a seed and texts: MurmurHash3_x86_32 of one little-endian 32-bit word for the length and each UTF-16 unit of each text.
Run: python scripts/golden/derive-seed.py (needs scikit-learn 1.9.1)."""

import json
import struct
from pathlib import Path

import sklearn
from sklearn.utils import murmurhash3_32

PARTS = [
    [],
    [""],
    ["", ""],
    ["a"],
    ["ab", "c"],
    ["a", "bc"],
    ["query-as-poison", "realtimeqa-q0"],
    ["\u00e9\u4f60\U0001f469", "\ufffd"],
    ["x" * 1000],
]
SEEDS = [0, 1, 12, 2**31, 2**32 - 1]


def data(parts):
    words = []
    for part in parts:
        units = part.encode("utf-16-le")
        units = struct.unpack(f"<{len(units) // 2}H", units)
        words += [len(units), *units]
    return struct.pack(f"<{len(words)}I", *words)


cases = [
    {"seed": seed, "parts": parts, "derived": murmurhash3_32(data(parts), seed=seed, positive=True)}
    for seed in SEEDS
    for parts in PARTS
]
path = Path(__file__).parents[2] / "tests/golden/derive-seed.json"
about = {"tool": "sklearn.utils.murmurhash3_32", "version": sklearn.__version__, "command": "python scripts/golden/derive-seed.py"}
path.write_text(json.dumps({**about, "cases": cases}) + "\n")
