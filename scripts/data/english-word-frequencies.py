"""Makes english-word-frequencies.tsv from the frequency dictionary that the Python package symspellpy 6.10.1 ships.

Run from the project root, in a venv with `symspellpy`:
    python scripts/data/english-word-frequencies.py > scripts/data/english-word-frequencies.tsv

The dictionary (82,834 words; MIT, Wolf Garbe and mmb L) is the intersection of the Google Books Ngram data (CC BY 3.0) with the
spelling lists SCOWL. Kept here: the words of ASCII letters and apostrophes, with occurrences per thousand million.
"""

import re
import sys
from importlib import resources

path = resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt"
words = {}
for line in path.read_text(encoding="utf-8-sig").splitlines():
    word, count = line.rsplit(" ", 1)
    if re.fullmatch(r"[a-z']+", word):
        words[word] = words.get(word, 0) + int(count)
total = sum(words.values())
print("# English words and their occurrences per thousand million; made by english-word-frequencies.py from symspellpy 6.10.1")
print("# Sources: SymSpell frequency dictionary (MIT, Wolf Garbe), Google Books Ngram (CC BY 3.0), SCOWL")
for word, count in sorted(words.items(), key=lambda entry: (-entry[1], entry[0])):
    share = round(count / total * 1e9)
    if share > 0:
        print(f"{word}\t{share}")
print(f"{len(words)} words", file=sys.stderr)
