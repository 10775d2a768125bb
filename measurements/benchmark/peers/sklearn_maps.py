# scikit-learn's kernel maps, for reference numbers and for times.
#
#   python3 sklearn_maps.py golden OUT.json
#   python3 sklearn_maps.py time ROWS COLUMNS COMPONENTS
#
# golden writes rows from a fixed seed and the inner products of the features that Nystroem
# gives them, with the landmarks it drew: transformers/featuremap/testdata/sklearn_nystroem.json. time
# maps as many normal rows and prints the seconds (the least of three) and the rows a second
# of Fit and of Transform of RBFSampler and of Nystroem, with as many threads as numpy takes
# (OPENBLAS_NUM_THREADS says how many).
# Debian: python3-sklearn. The numbers in the repository are from 1.2.1.
import json
import sys
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler


def golden(path):
    rng = np.random.RandomState(1)
    cases = []
    for kernel, gamma, n, d, landmarks in [("rbf", 0.5, 30, 3, 12), ("laplacian", 0.3, 25, 4, 20), ("polynomial", 0.5, 40, 2, 8)]:
        x = np.round(rng.randn(n, d), 6)
        fresh = np.round(rng.randn(10, d), 6)
        options = dict(degree=3, coef0=1) if kernel == "polynomial" else {}
        m = Nystroem(kernel=kernel, gamma=gamma, n_components=landmarks, random_state=2, **options).fit(x)
        z, zt = m.transform(x), m.transform(fresh)
        cases.append(dict(kernel=kernel, gamma=gamma, x=x.tolist(), fresh=fresh.tolist(), landmarks=m.components_.tolist(),
                          gram=(z @ z.T).tolist(), cross=(zt @ z.T).tolist()))
    with open(path, "w") as f:
        json.dump(cases, f, separators=(",", ":"))
        f.write("\n")


def timed(n, d, components):
    x = np.random.RandomState(1).randn(n, d)
    for name, make in [("RBFSampler", lambda: RBFSampler(gamma=0.5 / d, n_components=components, random_state=1)),
                       ("Nystroem", lambda: Nystroem(gamma=0.5 / d, n_components=components, random_state=1))]:
        fit = transform = np.inf
        for _ in range(3):
            m = make()
            start = time.perf_counter()
            m.fit(x)
            fit = min(fit, time.perf_counter() - start)
            start = time.perf_counter()
            m.transform(x)
            transform = min(transform, time.perf_counter() - start)
        print(f"{name}: fit {fit:.3f} s, {n / fit:.0f} rows/s; transform {transform:.3f} s, {n / transform:.0f} rows/s")


if sys.argv[1] == "golden":
    golden(sys.argv[2])
else:
    timed(*map(int, sys.argv[2:5]))
