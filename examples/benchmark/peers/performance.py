# What scikit-learn takes for the work that examples/performance times.
#
#   python3 performance.py ITEM FOLDER
#
# FOLDER holds matrices as the program wrote them: two 64-bit integers, rows and columns,
# and the float64 values. For each line that comes on standard input the work is done
# once; the answer is a line of two numbers, the seconds and a measure of what came out.
# Reading is not timed. numpy's BLAS takes as many threads as OPENBLAS_NUM_THREADS says.
# Debian: python3-sklearn. The numbers in the repository are from 1.2.1.
import os
import sys
import time
import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.model_selection import GridSearchCV
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


if os.path.exists(os.path.join(folder, "gamma")):
    gamma = scalar("gamma")
if os.path.exists(os.path.join(folder, "y")):
    y, xt, yt = read("y")[0], read("xt"), read("yt")[0]
if item == "eem":
    w, b = read("w"), read("b")[0]

work = dict(kernel=kernel, ridge=ridge, ridges=ridges, svc=svc, nystroem=nystroem, fourier=fourier, eem=eem, selection=selection)[item]
for _ in sys.stdin:
    start = time.perf_counter()
    measure = work()
    print(time.perf_counter() - start, measure, flush=True)
