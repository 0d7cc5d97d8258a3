"""Writes tests/golden/confusables.json: the Latin letters that Unicode's confusables data give for letters of other scripts.

python3 -m venv .venv && .venv/bin/pip install confusable-homoglyphs==3.3.1
.venv/bin/python scripts/golden/confusables.py > tests/golden/confusables.json
"""

import json
import unicodedata
from importlib.metadata import version

from confusable_homoglyphs import confusables

SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN")


def main() -> None:
    pairs = {}
    for latin in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        for entry in confusables.confusables_data.get(latin, []):
            letter = entry["c"]
            if len(letter) == 1 and unicodedata.name(letter, "").startswith(SCRIPTS):
                pairs.setdefault(letter, []).append(latin)
    print(
        json.dumps(
            {
                "tool": "confusable-homoglyphs (Unicode confusables.txt)",
                "version": version("confusable-homoglyphs"),
                "command": "python scripts/golden/confusables.py > tests/golden/confusables.json",
                "latinOf": {letter: sorted(set(latin)) for letter, latin in sorted(pairs.items())},
            },
            ensure_ascii=False,
            indent=1,
        )
    )


main()
