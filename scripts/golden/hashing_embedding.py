"""The deterministic embedding without a model that golden scripts share with tests/hashing-embedding.ts.

Of every run of a-z and 0-9 in the text with A-Z lower-cased, the 32-bit FNV-1a hash h of its bytes adds 1 to dimension h mod 64,
or takes 1 off where bit 16 of h is set.
"""

import re

import numpy as np

DIMENSIONS = 64
LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def fnv1a(token):
    value = 0x811C9DC5
    for byte in token.encode("ascii"):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def embed(text):
    vector = np.zeros(DIMENSIONS)
    for token in re.findall("[a-z0-9]+", text.translate(LOWER)):
        value = fnv1a(token)
        vector[value % DIMENSIONS] += -1 if (value >> 16) & 1 else 1
    return vector
