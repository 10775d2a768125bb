# scikit-learn's support vector machines, for reference numbers and for times.
#
#   python3 sklearn_svm.py golden OUT.json
#   python3 sklearn_svm.py time TRAIN.csv TEST.csv C GAMMA
#
# golden writes problems from a fixed seed and what SVC and SVR of LIBSVM make of them at
# a tolerance of 1e-6: estimators/svm/testdata/sklearn.json. time reads files that
# BenchmarkAgainstPeer of estimators/svm wrote, without a header, the label last; it prints
# the seconds of the fit and of the prediction (the least of five), the number of support
# vectors, that of the iterations, and the share of right labels.
# Debian: python3-sklearn. The numbers in the repository are from 1.2.1.
import json
import sys
import time

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

TIGHT = dict(tol=1e-6, cache_size=200)


def rounded(a):
    """Values of few digits, so that the file is small and both sides read the same."""
    return np.round(np.asarray(a, dtype=float), 6)


def dual(m, k, t, epsilon=0.0):
    """The dual objective ½β'Kβ - t'β + εΣ|β| of the machine of two classes, or of SVR."""
    beta = np.zeros(len(t))
    beta[m.support_] = m.dual_coef_[0]
    return 0.5 * beta @ k @ beta - t @ beta + epsilon * np.abs(beta).sum()


def two_moons(rng, n, noise):
    a = np.pi * rng.rand(n)
    y = (np.arange(n) % 2).astype(int)
    x = np.where(y[:, None] == 0, np.c_[np.cos(a), np.sin(a)], np.c_[1 - np.cos(a), 0.5 - np.sin(a)])
    return rounded(x + noise * rng.randn(n, 2)), y


def blobs(rng, n, d, shares, spread):
    y = rng.choice(len(shares), size=n, p=shares)
    y[: len(shares)] = np.arange(len(shares))
    centres = rng.randn(len(shares), d)
    return rounded(centres[y] + spread * rng.randn(n, d)), y


def classification(name, x, y, xt, weights=None, class_weight=None, gram=None, **options):
    m = SVC(class_weight=class_weight, **options, **TIGHT).fit(x if gram is None else gram(x, x), y, weights)
    f = m.decision_function(xt if gram is None else gram(xt, x))
    out = dict(name=name, x=x.tolist(), y=y.tolist(), xt=xt.tolist(), c=m.C, decision=f.tolist(),
               predict=m.predict(xt if gram is None else gram(xt, x)).tolist(), support=sorted(m.support_.tolist()))
    if weights is not None:
        out["weights"] = weights.tolist()
    return m, out


def golden(path):
    rng = np.random.RandomState(1)
    cases = []

    x, y = two_moons(rng, 80, 0.25)
    xt, _ = two_moons(rng, 20, 0.25)
    m, c = classification("binary RBF", x, y, xt, C=1.5, gamma=0.8)
    c.update(kernel="rbf", gamma=0.8, objective=dual(m, rbf_kernel(x, x, gamma=0.8), 2.0 * y - 1))
    cases.append(c)

    x, y = blobs(rng, 70, 3, [0.6, 0.4], 1.0)
    xt, _ = blobs(rng, 20, 3, [0.6, 0.4], 1.0)
    w = rounded(0.2 + 2 * rng.rand(70))
    m, c = classification("binary linear, class and sample weights", x, y, xt, weights=w, class_weight={0: 0.5, 1: 2.0}, C=0.7, kernel="linear")
    c.update(kernel="linear", class_weights={"0": 0.5, "1": 2.0}, objective=dual(m, x @ x.T, 2.0 * y - 1))
    cases.append(c)

    x, y = blobs(rng, 90, 2, [0.4, 0.3, 0.3], 0.8)
    xt, _ = blobs(rng, 20, 2, [0.4, 0.3, 0.3], 0.8)
    options = dict(kernel="poly", degree=3, gamma=0.5, coef0=1.0, C=2.0)
    m, c = classification("three classes, polynomial", x, y, xt, **options)
    c.update(kernel="poly", gamma=0.5, degree=3, coef0=1.0,
             pairs=SVC(decision_function_shape="ovo", **options, **TIGHT).fit(x, y).decision_function(xt).tolist())
    cases.append(c)

    x, y = blobs(rng, 120, 2, [0.92, 0.08], 1.0)
    xt, _ = blobs(rng, 20, 2, [0.5, 0.5], 1.0)
    m, c = classification("unbalanced, balanced weights", x, y, xt, class_weight="balanced", C=1.0, gamma=0.5)
    c.update(kernel="rbf", gamma=0.5, balanced=True, objective=dual(m, rbf_kernel(x, x, gamma=0.5), 2.0 * y - 1))
    cases.append(c)

    x, y = two_moons(rng, 100, 0.5)
    xt, _ = two_moons(rng, 20, 0.5)
    # No larger: LIBSVM keeps kernel values in single precision, which C multiplies.
    m, c = classification("large C", x, y, xt, C=1e3, gamma=1.0)
    c.update(kernel="rbf", gamma=1.0, objective=dual(m, rbf_kernel(x, x, gamma=1.0), 2.0 * y - 1))
    cases.append(c)

    x, y = two_moons(rng, 60, 0.3)
    xt, _ = two_moons(rng, 20, 0.3)

    def gram(a, b):
        return rbf_kernel(a, b, gamma=0.3) + 0.1 * (a @ b.T)

    m, c = classification("precomputed", x, y, xt, gram=gram, kernel="precomputed", C=3.0)
    c.update(kernel="sum", gamma=0.3, factor=0.1, objective=dual(m, gram(x, x), 2.0 * y - 1))
    cases.append(c)

    regressions = []
    for name, options, weighted in [
        ("SVR RBF", dict(kernel="rbf", gamma=0.5, C=2.0, epsilon=0.1), False),
        ("SVR linear, weights", dict(kernel="linear", C=0.5, epsilon=0.2), True),
    ]:
        x = rounded(rng.randn(80, 2))
        xt = rounded(rng.randn(20, 2))
        y = rounded(np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.2 * rng.randn(80))
        w = rounded(0.2 + 2 * rng.rand(80)) if weighted else None
        m = SVR(**options, **TIGHT).fit(x, y, w)
        k = rbf_kernel(x, x, gamma=0.5) if options["kernel"] == "rbf" else x @ x.T
        c = dict(name=name, x=x.tolist(), y=y.tolist(), xt=xt.tolist(), c=m.C, epsilon=m.epsilon, kernel=options["kernel"], gamma=options.get("gamma", 0),
                 predict=m.predict(xt).tolist(), support=sorted(m.support_.tolist()), objective=dual(m, k, y, m.epsilon))
        if weighted:
            c["weights"] = w.tolist()
        regressions.append(c)

    with open(path, "w") as f:
        json.dump(dict(classification=cases, regression=regressions), f, separators=(",", ":"))
        f.write("\n")


def timed(train, test, c, gamma):
    a, b = np.loadtxt(train, delimiter=","), np.loadtxt(test, delimiter=",")
    x, y, xt, yt = a[:, :-1], a[:, -1].astype(int), b[:, :-1], b[:, -1].astype(int)
    fit = predict = np.inf
    for _ in range(5):
        start = time.perf_counter()
        m = SVC(C=c, gamma=gamma).fit(x, y)
        fit = min(fit, time.perf_counter() - start)
        start = time.perf_counter()
        labels = m.predict(xt)
        predict = min(predict, time.perf_counter() - start)
    print(fit, predict, m.n_support_.sum(), m.n_iter_.sum(), np.mean(labels == yt))


if sys.argv[1] == "golden":
    golden(sys.argv[2])
else:
    timed(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
