"""Golden values for packages/bench/src/statistics: intervals and tests by scipy, Holm by its definition, bootstraps by numpy.

Run: python3 scripts/golden/statistics.py   (needs numpy, scipy; writes tests/golden/statistics.json)
A bootstrap's ends depend on its draws, so its case holds the mean over 200 bootstraps of 2,000 resamples each and their standard deviation
from one bootstrap to the next: that is the Monte-Carlo error which another generator's ends may differ by.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

rng = np.random.RandomState(20)

wilson = []
for successes, n in [(0, 1), (1, 1), (0, 10), (10, 10), (1, 2), (3, 7), (55, 100), (100, 100), (0, 250), (249, 250), (1234, 7405)]:
    interval = stats.binomtest(successes, n).proportion_ci(confidence_level=0.95, method="wilson")
    wilson.append({"successes": successes, "n": n, "low": float(interval.low), "high": float(interval.high)})

mcnemar = []
for first, second in [(0, 0), (1, 0), (0, 5), (5, 1), (3, 3), (10, 11), (2, 19), (40, 63), (700, 812)]:
    p = 1.0 if first + second == 0 else float(stats.binomtest(first, first + second, 0.5).pvalue)
    mcnemar.append({"onlyFirst": first, "onlySecond": second, "p": p})

wilcoxon = []
for n, decimals in [(1, 9), (2, 9), (5, 9), (12, 9), (20, 9), (25, 9), (26, 9), (60, 9), (10, 0), (25, 1), (40, 1), (250, 1)]:
    first = np.round(rng.normal(size=n), decimals) + 0.0
    second = np.round(rng.normal(loc=0.3, size=n), decimals) + 0.0
    if n == 12:
        second[3] = first[3]  # one pair that is equal, and is dropped
    # Tenths as they stand: what is equal on paper differs in its last bits, as in measured numbers.
    differences = np.round(second - first, 9)
    left = differences[differences != 0]
    exact = len(left) <= 25 and len(set(np.abs(left))) == len(left)
    method = {"method": "exact"} if exact else {"method": "asymptotic", "correction": True, "zero_method": "wilcox"}
    result = stats.wilcoxon(left if exact else differences, **method)
    wilcoxon.append({"first": first.tolist(), "second": second.tolist(), "n": len(left), "exact": exact,
                     "statistic": float(result.statistic), "p": float(result.pvalue)})

quantile = []
for n in (1, 2, 5, 6, 10, 59, 71, 72, 73, 100, 250, 1500):
    for share in (0.5, 0.95):
        values = np.round(rng.lognormal(size=n), 6)
        interval = stats.quantile_test(values, q=0, p=share).confidence_interval(confidence_level=0.95)
        low, high = (None if np.isnan(end) else float(end) for end in interval)
        quantile.append({"values": values.tolist(), "share": share, "value": float(np.quantile(values, share)), "low": low, "high": high})

holm = []
for size in (1, 2, 5, 12):
    p = np.round(rng.random_sample(size) ** 3, 4)
    # Written from the definition: the largest of (m - j) p_(j) over all that are at most p, cut at 1.
    adjusted = [min(1.0, max((size - rank) * q for rank, q in enumerate(sorted(p)) if q <= value)) for value in p]
    holm.append({"p": p.tolist(), "adjusted": [float(value) for value in adjusted]})


def bootstrap(statistic, n):
    ends = np.array([np.percentile(statistic(rng.randint(0, n, size=(2000, n))), [2.5, 97.5]) for _ in range(200)])
    return {"low": float(ends[:, 0].mean()), "high": float(ends[:, 1].mean()),
            "lowDeviation": float(ends[:, 0].std(ddof=1)), "highDeviation": float(ends[:, 1].std(ddof=1))}


intervals, differences = [], []
for n in (8, 40, 250):
    denominators = rng.randint(1, 6, size=n)
    numerators = rng.binomial(denominators, 0.4)
    others = np.minimum(numerators + rng.binomial(1, 0.3, size=n), denominators)
    measured = np.round(rng.random_sample(n), 4)
    for top, bottom in ((numerators, denominators), (measured, np.ones(n, dtype=int))):
        intervals.append({"numerators": top.tolist(), "denominators": bottom.tolist(), "value": float(top.sum() / bottom.sum()),
                          **bootstrap(lambda drawn: top[drawn].sum(axis=1) / bottom[drawn].sum(axis=1), n)})
    differences.append({
        "first": [numerators.tolist(), denominators.tolist()], "second": [others.tolist(), denominators.tolist()],
        "value": float(others.sum() / denominators.sum() - numerators.sum() / denominators.sum()),
        **bootstrap(lambda drawn: (others[drawn].sum(axis=1) - numerators[drawn].sum(axis=1)) / denominators[drawn].sum(axis=1), n)})

tails = [{"z": z, "tail": float(stats.norm.sf(z))} for z in (0, 0.01, 0.5, 1, 1.96, 2.5, 2.999, 3, 3.001, 5, 10, 37)]
binomial = [{"n": n, "p": p, "probabilities": stats.binom.pmf(range(n + 1), n, p).tolist()} for n, p in ((0, 0.5), (1, 0.95), (7, 0.5), (40, 0.95))]
# Probabilities of 10,000 trials in the middle, where a product from 0 successes on would have underflowed.
large = {"n": 10_000, "p": 0.5, "from": 4_950, "probabilities": stats.binom.pmf(range(4_950, 5_051), 10_000, 0.5).tolist()}

out = {"tool": "scipy.stats binomtest, wilcoxon, quantile_test, norm, binom; numpy percentile bootstrap",
       "version": f"scipy {scipy.__version__}, numpy {np.__version__}", "command": "python3 scripts/golden/statistics.py",
       "wilson": wilson, "mcnemar": mcnemar, "wilcoxon": wilcoxon, "quantile": quantile, "holm": holm, "bootstrap": intervals,
       "bootstrapDifference": differences, "normalTail": tails, "binomial": binomial, "binomialLarge": large}
pathlib.Path("tests/golden/statistics.json").write_text(json.dumps(out) + "\n")
