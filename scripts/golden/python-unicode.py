r"""What Python means by \w, by white space and by lower case, for every code point, and which code points its Unicode does not know.
Run: python scripts/golden/python-unicode.py (needs Python 3.11 only)."""

import platform
import re
import unicodedata

from text_pools import write

ALL = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def ranges(wanted):
    """First code point and length of each run, the first as the distance from the end of the run before."""
    out, end, start, previous = [], 0, None, None
    for c in wanted:
        if previous is not None and c == previous + 1:
            previous = c
            continue
        if start is not None:
            out += [start - end, previous - start + 1]
            end = previous + 1
        start = previous = c
    return out + [start - end, previous - start + 1]


word = re.compile(r"(?u)\w")
samples = [
    "\u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3 \u03a3 \u03a3\u03a3 A\u03a3. A\u03a3' A\u03a3b \u03a3a",
    "\u0130stanbul \u0130\u0130 I\u0307 \u0131",
    "e\u0301te\u0301 \u00e9t\u00e9 na\u0308ive",
    "\u212alvin \u212bngstr\u00f6m \u01c5x \u1e9eS",
    "a_b __ _ a b cd  ef\u00a0gh\u2003ij\u200bkl",
    "The cat isn't on the mat; it's 3.14 or 1,000 \u00b2\u00b3 \u00bd\u00bdx \u2162\u2163",
    "\u65e5\u672c\u8a9e\u306e\u6587 \u4e00 \u0441\u043b\u043e\u0432\u043e \u0e44\u0e17\u0e22\u0e22 \u0915\u094d\u0937",
    "\U0001d4d0\U0001d4d1 \U0001f600\U0001f600 \U00010400\U00010401",
]
tokens = re.compile(r"(?u)\b\w\w+\b")
write(
    "python-unicode",
    {
        "tool": "Python re, str.strip, str.lower",
        "version": f"Python {platform.python_version()}, Unicode {unicodedata.unidata_version}",
        "command": "python scripts/golden/python-unicode.py",
        "form": "runs of code points: distance from the end of the run before, length",
        "word": ranges(c for c in ALL if word.match(chr(c))),
        "unknown": ranges(c for c in ALL if unicodedata.category(chr(c)) == "Cn"),
        "space": ranges(c for c in ALL if chr(c).strip() == ""),
        "lower": [[c, chr(c).lower()] for c in ALL if chr(c).lower() != chr(c)],
        "samples": [[s, s.lower(), tokens.findall(s.lower())] for s in samples],
    },
)
