"""Writes sklearn_density.json: log densities of scikit-learn's KernelDensity, the bandwidth of the largest leave-one-out
likelihood by SciPy, and p-values by their definition (the versions are in the file):

    python sklearn_density.py > sklearn_density.json
"""
import json
import sys

import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KernelDensity

cases = []
for n, d, how in [(60, 2, "normal"), (80, 5, "normal"), (100, 1, "two modes"), (70, 3, "heavy tails")]:
    rng = np.random.default_rng(n)
    x = rng.standard_normal((n, d))
    if how == "two modes":
        x[::3] += 6
    if how == "heavy tails":
        x = rng.standard_t(3, (n, d))
    x = np.round(x * (1 + 10 * np.arange(d)) + 100, 6)
    xt = np.round(np.r_[x[:3] + 0.1, x.mean(0) + 4 * rng.standard_normal((5, d)) * x.std(0)], 6)
    mean, sd = x.mean(0), x.std(0, ddof=1)
    z, zt = (x - mean) / sd, (xt - mean) / sd
    s = pairwise_distances(z) ** 2
    np.fill_diagonal(s, np.inf)

    def loss(log_h):
        return -np.mean(logsumexp(-s / 2 / np.exp(2 * log_h), axis=1)) + d * log_h

    grid = np.linspace(-4, 2, 200)
    middle = grid[np.argmin([loss(g) for g in grid])]
    best = minimize_scalar(loss, bounds=(middle - 0.1, middle + 0.1), method="bounded", options={"xatol": 1e-10})
    h = float(np.exp(best.x))
    p = []
    for row in zt:  # every row under all the others, of those of Fit and the new one
        both = np.r_[z, row[None]]
        dens = [logsumexp(-np.delete(((both - b) ** 2).sum(1), i) / 2 / h**2) for i, b in enumerate(both)]
        p.append(float(np.mean(np.array(dens) <= dens[-1] + 1e-9)))
    score = KernelDensity(bandwidth=h).fit(z).score_samples(zt) - np.log(sd).sum()
    cases.append({"name": f"{how}, {n}×{d}", "x": x.tolist(), "xt": xt.tolist(), "bandwidth": h, "loss": float(best.fun),
                  "score": score.tolist(), "p": p})
json.dump({"scikit-learn": sklearn.__version__, "scipy": scipy.__version__, "cases": cases}, sys.stdout)
