# What scikit-learn and MAPIE do beside measurements/intervals.
#
#   python3 intervals.py FOLDER METHOD SEED LEVEL[,LEVEL...]
#
# FOLDER holds the matrices x, y (one row) and xt as the program wrote them: two 64-bit integers, rows and
# columns, and the float64 values. METHOD is gp, a Gaussian process with one length and noise, by evidence, on
# standardised columns and targets, whose intervals are those of its normal distribution; or mapie, MAPIE's CV+ of ten
# folds around kernel ridge regression on standardised columns with a grid of 12 points in three folds. The ends for xt are
# written to low and high, a row for each level.
# PyPI: scikit-learn, mapie. The numbers in the repository are from 1.9.1 and 1.6.0.
import os
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
folder, method, seed, levels = sys.argv[1:5]
seed, levels = int(seed), [float(v) for v in levels.split(",")]


def read(name):
    path = os.path.join(folder, name)
    rows, columns = np.fromfile(path, dtype=np.int64, count=2)
    return np.fromfile(path, dtype=np.float64, offset=16).reshape(rows, columns)


def write(name, m):
    with open(os.path.join(folder, name), "wb") as f:
        np.array(m.shape, dtype=np.int64).tofile(f)
        np.ascontiguousarray(m, dtype=np.float64).tofile(f)


def gp():
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.preprocessing import StandardScaler
    scaler = StandardScaler().fit(x)
    kernel = ConstantKernel(1, (1e-3, 1e4)) * RBF(np.sqrt(x.shape[1]), (1e-2, 1e3)) + WhiteKernel(.1, (1e-8, 10))
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(scaler.transform(x), y)
    mean, sd = model.predict(scaler.transform(xt), return_std=True)
    half = [norm.ppf((1 + level) / 2) * sd for level in levels]
    return np.array([mean - h for h in half]), np.array([mean + h for h in half])


def mapie():
    from mapie.regression import CrossConformalRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.compose import TransformedTargetRegressor
    d = x.shape[1]
    ridge = make_pipeline(StandardScaler(), KernelRidge(kernel="rbf"))
    grid = {"kernelridge__gamma": [.1 / d, .5 / d, 2 / d], "kernelridge__alpha": [1e-3, 1e-2, 1e-1, 1]}
    search = GridSearchCV(ridge, grid, cv=3, scoring="neg_mean_squared_error")
    model = TransformedTargetRegressor(search, transformer=StandardScaler())
    folds = KFold(10, shuffle=True, random_state=seed)
    cross = CrossConformalRegressor(model, confidence_level=levels, method="plus", cv=folds).fit_conformalize(x, y)
    ends = cross.predict_interval(xt)[1]
    return ends[:, 0, :].T, ends[:, 1, :].T


x, y, xt = read("x"), read("y")[0], read("xt")
low, high = dict(gp=gp, mapie=mapie)[method]()
write("low", low)
write("high", high)
