"""Golden numbers for kernels/random.ts (not named random.py: that would hide the standard module from its neighbours).

Run: python3 scripts/golden/mersenne-twister.py   (needs numpy; writes tests/golden/mersenne-twister.json)
"""
import json
import pathlib

import numpy as np

SEEDS = [0, 1, 42, 2**31, 2**32 - 1]
cases = []
for seed in SEEDS:
    state = np.random.RandomState(seed)
    first = state.random_sample(5).tolist()
    state.random_sample(995)  # past two refills of 624 words
    cases.append({"seed": seed, "first": first, "from1000": state.random_sample(3).tolist()})

out = {"tool": "numpy.random.RandomState.random_sample", "version": np.__version__, "command": "python3 scripts/golden/mersenne-twister.py", "cases": cases}
pathlib.Path("tests/golden/mersenne-twister.json").write_text(json.dumps(out, indent=1) + "\n")
