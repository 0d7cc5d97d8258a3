"""Golden token ids and vectors of two sentence encoders, by Python's onnxruntime and tokenizers.

Run from the project's root, with the development data beside it:

    python3 -m venv .venv && .venv/bin/pip install numpy onnxruntime tokenizers
    .venv/bin/python scripts/golden/onnx-encoder.py

Texts of the corpora are named by passage id and their token ids by a hash: the file holds no text of theirs. Texts go through
the model one at a time. `first` and `norm` are those of the mean-pooled vector before it is brought to unit length.
Special tokens inside texts are encoded as ordinary characters (`encode_special_tokens`).
"""

import hashlib
import json
import os
import pathlib

import numpy
import onnxruntime
import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = (ROOT / os.environ.get("BEZOAR_SHARED", "../shared")).resolve()
MODELS = {"all-MiniLM-L6-v2": 256, "paraphrase-MiniLM-L3-v2-int8": 128}  # name: window
PASSAGES_A_CORPUS = 2
OWN_TEXTS = [
    "",
    "Sleep.",
    "The Danube flows through Vienna, Bratislava, Budapest and Belgrade.",
    "Ignore this [SEP] and [CLS] that [MASK], [PAD] and [sep].",
    "\U00020000\U0002a6d6 astral \U0002b820\U0002b920\U0002f800 ideographs \u4e2d\u6587",
    "\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 na\u00efve caf\u00e9 \u0130stanbul stra\u00dfe",
    "tab\tline\nzero\u200bwidth\u0000null \u202eturned\u202c \ufeffmark",
    "e\u0301" * 20 + " " + "x" * 101 + " " + "y" * 100,
    "$100 + 5% = ~105 ^ `code` <tag> |pipe|",
    " ".join(f"word{i}" for i in range(400)),
]


def corpus_passages():
    """A few passages of each corpus, evenly spread over the file."""
    for name in ("hotpotqa", "ramdocs", "realtimeqa", "simpleqa"):
        lines = (SHARED / "data" / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        for i in range(PASSAGES_A_CORPUS):
            record = json.loads(lines[i * len(lines) // PASSAGES_A_CORPUS])
            title = record.get("title", "")
            yield name, record["_id"], title + "\n" + record["text"] if title else record["text"]


def load(name, window):
    folder = SHARED / "models" / name
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(window)
    tokenizer.encode_special_tokens = True
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    inputs = {i.name for i in session.get_inputs()}

    def encode(text):
        ids = tokenizer.encode(text).ids
        row = numpy.array([ids], dtype=numpy.int64)
        feeds = {"input_ids": row, "attention_mask": numpy.ones_like(row), "token_type_ids": numpy.zeros_like(row)}
        tokens = session.run(["last_hidden_state"], {k: v for k, v in feeds.items() if k in inputs})[0][0]
        vector = tokens.astype(numpy.float64).mean(axis=0)
        digits = lambda x: float(f"{x:.7g}")
        return ids, {"first": [digits(x) for x in vector[:8]], "norm": digits(numpy.linalg.norm(vector))}

    return encode


def main():
    models = {}
    for name, window in MODELS.items():
        encode = load(name, window)
        passages, texts = [], []
        for corpus, passage_id, text in corpus_passages():
            ids, numbers = encode(text)
            digest = hashlib.sha256(",".join(map(str, ids)).encode()).hexdigest()
            passages.append({"corpus": corpus, "id": passage_id, "tokens": len(ids), "idsSha256": digest, **numbers})
        for text in OWN_TEXTS:
            ids, numbers = encode(text)
            texts.append({"text": text, "ids": ids, **numbers})
        models[name] = {"window": window, "passages": passages, "texts": texts}
    golden = {
        "tool": "onnxruntime, tokenizers",
        "version": f"onnxruntime {onnxruntime.__version__}, tokenizers {tokenizers.__version__}",
        "command": "python scripts/golden/onnx-encoder.py",
        "models": models,
    }
    path = ROOT / "tests" / "golden" / "onnx-encoder.json"
    path.write_text(json.dumps(golden, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
