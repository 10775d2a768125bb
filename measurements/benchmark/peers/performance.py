# What scikit-learn takes for the work that measurements/performance times.
#
#   python3 performance.py ITEM FOLDER
#
# FOLDER holds matrices as the program wrote them: two 64-bit integers, rows and columns,
# and the float64 values. When all is read comes a line "ready"; then for each line on
# standard input the work is done once, and the answer is a line of two numbers, the seconds
# and a measure of what came out. The items that end in _grid and _halving are searches.
# With VERBOSE=1 in the environment they say on standard error what they chose.
# Reading is not timed. numpy's BLAS takes as many threads as OPENBLAS_NUM_THREADS says.
# Debian: python3-sklearn. The numbers in the repository are from 1.2.1.
import os
import sys
import time
import warnings

import numpy as np
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

warnings.filterwarnings("ignore")
item, folder = sys.argv[1:3]


def read(name):
    path = os.path.join(folder, name)
    rows, columns = np.fromfile(path, dtype=np.int64, count=2)
    return np.fromfile(path, dtype=np.float64, offset=16).reshape(rows, columns)


def scalar(name):
    return float(read(name)[0, 0])


def nmse(y, p):
    return np.mean((y - p) ** 2) / np.var(y)


x = read("x")


def kernel():
    return rbf_kernel(x, gamma=gamma)[1, 0]


def ridge():
    m = KernelRidge(kernel="rbf", gamma=gamma, alpha=scalar("ridge")).fit(x, y)
    return nmse(yt, m.predict(xt))


def ridges():
    m = GridSearchCV(KernelRidge(kernel="rbf", gamma=gamma), dict(alpha=read("ridge")[0].tolist()), cv=5).fit(x, y)
    return nmse(yt, m.predict(xt))


def svc():
    m = SVC(C=1.0, gamma=gamma).fit(x, y)
    return np.mean(m.predict(xt) == yt)


def nystroem():
    return Nystroem(gamma=gamma, n_components=500, random_state=1).fit_transform(x).shape[1]


def fourier():
    return RBFSampler(gamma=gamma, n_components=500, random_state=1).fit_transform(x).shape[1]


def eem():
    def features(rows):
        h = euclidean_distances(rows, w, squared=True)
        h *= -b
        return np.exp(h, out=h)

    m = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(features(x), y)
    return np.mean(m.predict(features(xt)) == yt)


def selection():
    m = GridSearchCV(KernelRidge(kernel="rbf", alpha=scalar("ridge")), dict(gamma=read("gammas")[0].tolist()), cv=3).fit(x, y)
    return nmse(yt, m.predict(xt))


def values(name):
    return read(name)[0].tolist()


def kernel_ridge():
    return KernelRidge(kernel="rbf"), dict(gamma=values("gammas"), alpha=values("alphas")), nmse


def nystroem_ridge():
    map = Nystroem(n_components=int(scalar("components")), random_state=1)
    return make_pipeline(map, Ridge()), dict(nystroem__gamma=values("gammas"), ridge__alpha=values("alphas")), nmse


def support_vectors():
    return SVC(), dict(gamma=values("gammas"), C=values("costs")), lambda y, p: np.mean(y != p)


def search(what, halving):
    model, grid, error = what()
    settings = dict(cv=3, n_jobs=int(scalar("jobs")))
    if halving:
        m = HalvingGridSearchCV(model, grid, random_state=1, **settings)
    else:
        m = GridSearchCV(model, grid, **settings)
    m.fit(x, y)
    if os.environ.get("VERBOSE"):
        print(item, {k: f"{v:.3g} of {min(grid[k]):.3g} to {max(grid[k]):.3g}" for k, v in m.best_params_.items()}, file=sys.stderr)
    return error(yt, m.predict(xt))


if os.path.exists(os.path.join(folder, "gamma")):
    gamma = scalar("gamma")
if os.path.exists(os.path.join(folder, "y")):
    y, xt, yt = read("y")[0], read("xt"), read("yt")[0]
if item == "eem":
    w, b = read("w"), read("b")[0]

items = dict(kernel=kernel, ridge=ridge, ridges=ridges, svc=svc, nystroem=nystroem, fourier=fourier, eem=eem, selection=selection)
for name, what in dict(kernel_ridge=kernel_ridge, nystroem_ridge=nystroem_ridge, svc=support_vectors).items():
    items[name + "_grid"] = lambda what=what: search(what, False)
    items[name + "_halving"] = lambda what=what: search(what, True)
work = items[item]
try:
    print("ready", flush=True)
    for _ in sys.stdin:
        start = time.perf_counter()
        measure = work()
        print(time.perf_counter() - start, measure, flush=True)
except KeyboardInterrupt:  # over the limit
    sys.exit(1)
