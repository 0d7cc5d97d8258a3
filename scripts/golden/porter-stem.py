"""Stems of the words of the development data, of words that other stemmers get wrong, and of made-up words that reach every rule.
Run: python scripts/golden/porter-stem.py (needs nltk 3.10.4)."""

import json
import random
import re

from nltk.stem.porter import PorterStemmer
from text_pools import SHARED, lines, write

stem = PorterStemmer().stem
seen = set()
for path in sorted(SHARED.glob("data/*/corpus.jsonl")):
    for passage in lines(path):
        seen.update(w for w in re.findall(r"[a-z0-9]+", f"{passage['title']} {passage['text']}".lower()) if len(w) < 16)
words = sorted(w for w in seen if w.isalpha() and stem(w) != w)
unchanged = sorted(w for w in seen if stem(w) == w)
words += unchanged[:: max(1, len(unchanged) // max(1, 21000 - len(words)))]
words += (
    "sky skies die dies died dying lie lies lied lying tie ties tied tying news innings inning outings outing cannings canning howe "
    "proceed exceed succeed spied flies fly try tried enjoy enjoyed happy say says y yy yyy ay by ies ied s ss us as ing ed eed feed agreed "
    "bled sing hopping hoping falling hissing fizzed failing filing conflated troubled sized relational conditional rational valenci "
    "hesitanci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness "
    "hopefulness callousness formaliti sensitiviti sensibiliti fully gratefulli geology theology archaeology logi triplicate formative "
    "formalize electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant "
    "replacement adjustment dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease "
    "controlling roll generally nationally alli balli really totalli syzygy toying toys yyyying caf\u00e9s \u043d\u043e\u0432\u043e\u0441\u0442\u0438 abseil 1990s 4th"
).split()
random.seed(12)
starts = "s tr b y ay oy c g l lo geo theo rel v a an app cr yt".split()
middles = "at bl iz all ass ezz opp ow ex ay ion ic al ous iv ful at an ent ti yl e".split()
endings = (
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi "
    "icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll y "
    "ies ied sses ss s ed eed ing"
).split()
for _ in range(3000):
    words.append(random.choice(starts) + "".join(random.choices(middles, k=random.randint(0, 2))) + "".join(random.choices(endings, k=random.randint(1, 2))))


def shown(word):
    """The word, how many letters its stem leaves out, and what the stem puts there."""
    result = stem(word)
    same = 0
    while same < min(len(word), len(result)) and word[same] == result[same]:
        same += 1
    return word if result == word else f"{word}/{len(word) - same}{result[same:]}"


entries = list(dict.fromkeys(shown(w) for w in words))
write(
    "porter-stem",
    {
        "tool": "nltk.stem.porter.PorterStemmer().stem",
        "version": "nltk 3.10.4",
        "command": "python scripts/golden/porter-stem.py",
        "form": "word, or word/N and a tail: the stem is the word without its last N letters, then the tail",
        "count": len(entries),
        "words": " ".join(entries),
    },
)
