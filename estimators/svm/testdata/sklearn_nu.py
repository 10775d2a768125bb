"""Writes sklearn_nu.json, the reference numbers of ν-SVC, ν-SVR and the one-class machine of
scikit-learn (the version is in the file):

    python sklearn_nu.py > sklearn_nu.json
"""
import json
import sys

import numpy as np
import sklearn
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import NuSVC, NuSVR, OneClassSVM

TOL = 1e-9


def blobs(n, k, spread, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    a = 2 * np.pi * y / k
    x = np.c_[np.cos(a), np.sin(a)] + spread * rng.standard_normal((n, 2))
    return np.round(x, 6), (y + 1) * 10


def settings(kernel, gamma):
    return {"kernel": kernel, "gamma": gamma} if kernel == "rbf" else {"kernel": kernel}


def objective(m, x, kernel, gamma, y=None):
    d = np.zeros(len(x))
    d[m.support_] = m.dual_coef_[0]
    k = pairwise_kernels(x, metric=kernel, **({"gamma": gamma} if kernel == "rbf" else {}))
    return float(d @ k @ d / 2 - (0 if y is None else y @ d))


def classification():
    for name, n, k, spread, kernel, gamma, nu, weighted in [
        ("RBF", 80, 2, 0.6, "rbf", 0.5, 0.4, False),
        ("RBF, few support vectors", 80, 2, 0.5, "rbf", 1.0, 0.1, False),
        ("linear", 60, 2, 0.7, "linear", 0.0, 0.5, False),
        ("weights", 80, 2, 0.6, "rbf", 0.5, 0.3, True),
        ("three classes", 90, 3, 0.6, "rbf", 0.8, 0.3, False),
    ]:
        x, y = blobs(n, k, spread, n + k)
        xt, _ = blobs(15, k, spread, 7)
        w = np.round(np.random.default_rng(3).uniform(0.5, 1.5, n), 4) if weighted else None
        m = NuSVC(nu=nu, tol=TOL, decision_function_shape="ovo", **settings(kernel, gamma)).fit(x, y, w)
        out = {"name": name, "x": x, "y": y, "xt": xt, "kernel": kernel, "gamma": gamma, "nu": nu,
               "pairs": m.decision_function(xt).reshape(15, -1), "predict": m.predict(xt), "support": m.support_}
        if k == 2:
            out["objective"] = objective(m, x, kernel, gamma)
        if weighted:
            out["weights"] = w
        yield out


def regression():
    for name, n, kernel, gamma, nu, c, weighted in [
        ("RBF", 80, "rbf", 0.5, 0.3, 2.0, False),
        ("linear", 60, "linear", 0.0, 0.45, 1.0, False),
        ("weights", 80, "rbf", 0.5, 0.6, 1.0, True),
        ("no tube", 40, "rbf", 50.0, 1.0, 1e3, False),
    ]:
        rng = np.random.default_rng(n)
        x = np.round(rng.uniform(-5, 5, (n, 1)), 6)
        y = np.round(np.sinc(x[:, 0] / 2) + 0.2 * rng.standard_normal(n), 6)
        xt = np.linspace(-6, 6, 15)[:, None]
        w = np.round(rng.uniform(0.5, 1.5, n), 4) if weighted else None
        m = NuSVR(nu=nu, C=c, tol=TOL, **settings(kernel, gamma)).fit(x, y, w)
        out = {"name": name, "x": x, "y": y, "xt": xt, "kernel": kernel, "gamma": gamma, "nu": nu, "c": c,
               "predict": m.predict(xt), "support": m.support_, "objective": objective(m, x, kernel, gamma, y)}
        if weighted:
            out["weights"] = w
        yield out


def one_class():
    for name, kernel, gamma, nu, weighted in [
        ("RBF", "rbf", 0.5, 0.1, False),
        ("RBF, half", "rbf", 2.0, 0.5, False),
        ("linear", "linear", 0.0, 0.2, False),
        ("weights", "rbf", 0.5, 0.2, True),
    ]:
        rng = np.random.default_rng(5)
        x = np.round(rng.standard_normal((90, 2)) + 2, 6)
        xt = np.round(3 * rng.standard_normal((15, 2)) + 2, 6)
        w = np.round(rng.uniform(0.5, 1.5, 90), 4) if weighted else None
        m = OneClassSVM(nu=nu, tol=TOL, **settings(kernel, gamma)).fit(x, sample_weight=w)
        total = nu * (90 if w is None else w.sum())  # of their coefficients; that of ours is 1
        out = {"name": name, "x": x, "xt": xt, "kernel": kernel, "gamma": gamma, "nu": nu,
               "score": m.decision_function(xt) / total, "predict": m.predict(xt), "support": m.support_,
               "objective": objective(m, x, kernel, gamma) / total**2}
        if weighted:
            out["weights"] = w
        yield out


json.dump({"scikit-learn": sklearn.__version__, "classification": list(classification()),
           "regression": list(regression()), "oneclass": list(one_class())},
          sys.stdout, default=lambda v: v.tolist())
