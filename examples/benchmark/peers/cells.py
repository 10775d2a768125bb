# A method of scikit-learn on one split of examples/benchmark.
#
#   python3 cells.py METHOD TASK TRAIN.csv TEST.csv SEED
#
# TASK is regression or classification. The files have a header and the target last, a
# class as a number from 0. Prints JSON: seconds, bytes and predictions, which the program
# measures as those of all methods. METHODS below says what there is.
# Debian: python3-sklearn.
import json
import pickle
import resource
import sys
import warnings

import numpy as np
from sklearn import __version__
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
COSTS = [1, 10, 100]
SCALES = np.array([0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30])
RIDGES = [0.001, 0.01, 0.1, 1]
FEATURES = 500
ALPHAS = np.logspace(-6, 6, 13)


def standardised(model):
    """For a model whose parameters are in the units of the targets."""
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())


def by_grid(model, params):
    from sklearn.model_selection import GridSearchCV
    return GridSearchCV(model, params, cv=3)


def kernel_ridge(regression, d, seed):
    from sklearn.kernel_ridge import KernelRidge
    return standardised(KernelRidge(kernel="rbf", alpha=1, gamma=1 / d))


def kernel_ridge_grid(regression, d, seed):
    from sklearn.kernel_ridge import KernelRidge
    return standardised(by_grid(KernelRidge(kernel="rbf"), dict(alpha=RIDGES, gamma=SCALES / d)))


def svm(regression, d, seed):
    from sklearn.svm import SVC, SVR
    if regression:
        return standardised(SVR())
    return make_pipeline(StandardScaler(), SVC(probability=True, random_state=seed))


class ThenWithProbabilities:
    """The best of a grid, fitted again with what probabilities need."""

    def __init__(self, d, seed):
        self.d, self.seed = d, seed

    def fit(self, x, y):
        from sklearn.svm import SVC
        search = by_grid(SVC(), dict(C=COSTS, gamma=SCALES / self.d))
        search.refit = False
        z = StandardScaler().fit_transform(x)
        search.fit(z, y)
        self.model = make_pipeline(StandardScaler(), SVC(probability=True, random_state=self.seed, **search.best_params_)).fit(x, y)
        self.classes_ = self.model.classes_
        self.predict, self.predict_proba, self.decision_function = self.model.predict, self.model.predict_proba, self.model.decision_function
        return self


def svm_grid(regression, d, seed):
    from sklearn.svm import SVR
    if regression:
        return standardised(by_grid(SVR(), dict(C=COSTS, gamma=SCALES / d)))
    return ThenWithProbabilities(d, seed)


def gp(regression, d, seed):
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    k = ConstantKernel() * RBF(length_scale=d ** 0.5)
    if regression:
        return make_pipeline(StandardScaler(), GaussianProcessRegressor(k + WhiteKernel(), normalize_y=True, random_state=seed))
    return make_pipeline(StandardScaler(), GaussianProcessClassifier(k, random_state=seed))


def ridge(regression):
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    return (RidgeCV if regression else RidgeClassifierCV)(alphas=ALPHAS)


def nystroem(regression, d, seed):
    from sklearn.kernel_approximation import Nystroem
    return make_pipeline(StandardScaler(), Nystroem(gamma=1 / d, n_components=FEATURES, random_state=seed), ridge(regression))


def fourier(regression, d, seed):
    from sklearn.kernel_approximation import RBFSampler
    return make_pipeline(StandardScaler(), RBFSampler(gamma=1 / d, n_components=FEATURES, random_state=seed), ridge(regression))


def lda(regression, d, seed):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))


def forest(regression, d, seed):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    return (RandomForestRegressor if regression else RandomForestClassifier)(random_state=seed)


def gp_columns(regression, d, seed):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    k = ConstantKernel() * Matern(length_scale=[d ** 0.5] * d, nu=1.5) + WhiteKernel()
    return make_pipeline(StandardScaler(), GaussianProcessRegressor(k, normalize_y=True, random_state=seed))


def extra_trees(regression, d, seed):
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
    return (ExtraTreesRegressor if regression else ExtraTreesClassifier)(random_state=seed)


def boosting(regression, d, seed):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    return (HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier)(random_state=seed)


METHODS = {
    "sklearn-kernel-ridge": kernel_ridge, "sklearn-kernel-ridge-grid": kernel_ridge_grid, "sklearn-svm": svm,
    "sklearn-svm-grid": svm_grid, "sklearn-gp": gp, "sklearn-nystroem": nystroem, "sklearn-fourier": fourier,
    "sklearn-lda": lda, "sklearn-forest": forest, "sklearn-gp-columns": gp_columns, "sklearn-extra-trees": extra_trees,
    "sklearn-boosting": boosting,
}


def read(path):
    rows = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    return np.ascontiguousarray(rows[:, :-1]), rows[:, -1]


def peak_bytes():
    """The most resident memory since reset_peak, None where the system does not tell."""
    try:
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM:"))
    except OSError:
        return None


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass


def used():
    """Seconds of the processor. Where a limit is set, as here, time.process_time goes by the ticks of the system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def columns(scores, classes):
    """A column for each class, where scikit-learn has one number for two classes."""
    return np.c_[-scores, scores] if scores.ndim == 1 else scores


method, task, train, test, seed = sys.argv[1:]
x, y = read(train)
xt, _ = read(test)
regression = task == "regression"
if not regression:
    y = y.astype(int)
reset_peak()
out = dict(version="scikit-learn " + __version__, memory_before_bytes=peak_bytes())
m = METHODS[method](regression, x.shape[1], int(seed) % 2 ** 32)
start = used()
m.fit(x, y)
out["fit_seconds"] = used() - start
start = used()
p = m.predict(xt)
out["predict_seconds"] = used() - start
out["memory_peak_bytes"] = peak_bytes()
out["model_bytes"] = len(pickle.dumps(m))
if regression:
    out["values"] = p.tolist()
    if method.startswith("sklearn-gp"):
        out["variance"] = (m.predict(xt, return_std=True)[1] ** 2).tolist()
else:
    out.update(labels=p.tolist(), classes=m.classes_.tolist())
    if hasattr(m, "decision_function"):
        out["scores"] = columns(m.decision_function(xt), m.classes_).tolist()
    if hasattr(m, "predict_proba"):
        out["proba"] = m.predict_proba(xt).tolist()
json.dump(out, sys.stdout)
