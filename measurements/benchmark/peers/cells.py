# A method of another library, in Python, on one split of measurements/benchmark.
#
#   python3 cells.py METHOD TASK TRAIN.csv TEST.csv SEED [SECONDS]
#   python3 cells.py -serve
#
# TASK is regression or classification. The files have a header and the target last, a
# class as a number from 0. Prints JSON: seconds, bytes and predictions, which the program
# measures as those of all methods. METHODS below lists the methods. A search draws no more
# settings when it has used SEARCH of SECONDS. With -serve it stays up over cells: serve.py.
# A job of a server can name columns of categories, whose cells are codes, and cells can be NaN.
# Debian: python3-sklearn; pip: scikit-learn lightgbm xgboost catboost xrfm pytabkit, each of them optional (README.md).
import importlib
import importlib.metadata
import json
import os
import pickle
import resource
import sys
import time
import warnings

import numpy as np
from sklearn import __version__
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from serve import serve

warnings.filterwarnings("ignore")
COSTS = [1, 10, 100]
SCALES = np.array([0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30])
FEW_SCALES = np.array([0.03, 0.1, 0.3, 1, 3])
RIDGES = [0.001, 0.01, 0.1, 1]
NUS = dict(regression=[0.2, 0.5, 0.8], classification=[0.01, 0.03, 0.1, 0.2, 0.35, 0.5])
FEATURES = 500
ALPHAS = np.logspace(-6, 6, 13)

ROUNDS, PATIENCE = 1000, 50  # of boosting with early stopping
FOLDED = 5000  # rows from which on a fifth of them takes the place of three folds
SEARCH = 0.5  # of the budget, at most, for a search
PROBE, FEWEST = 20, 100  # rounds that tell what a round takes, and those that are worth a setting

ONE_HOT = 30  # levels up to which a category becomes columns of 0 and 1 for methods without categories of their own
HISTOGRAM_LEVELS = 255  # the most levels of a category in scikit-learn's HistGradientBoosting

# Of a cell: its budget in seconds, its threads, its columns of categories, and the settings that a search of boosting tries.
budget, threads, categories, trials = float("inf"), 1, [], 10


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
        search.fit(StandardScaler().fit_transform(x), y)
        return self.final(SVC(probability=True, random_state=self.seed, **search.best_params_), x, y)

    def final(self, machine, x, y):
        self.model = make_pipeline(StandardScaler(), machine).fit(x, y)
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


class NuGrid(ThenWithProbabilities):
    """The same for NuSVC. A share that a class is too small for has no score."""

    def fit(self, x, y):
        from sklearn.svm import NuSVC
        search = by_grid(NuSVC(), dict(nu=NUS["classification"], gamma=SCALES / self.d))
        search.refit = False
        search.fit(StandardScaler().fit_transform(x), y)
        return self.final(NuSVC(probability=True, random_state=self.seed, **search.best_params_), x, y)


def nu_svm_grid(regression, d, seed):
    from sklearn.svm import NuSVR
    if regression:
        return standardised(by_grid(NuSVR(), dict(C=COSTS, nu=NUS["regression"], gamma=FEW_SCALES / d)))
    return NuGrid(d, seed)


def ridge(regression):
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    return (RidgeCV if regression else RidgeClassifierCV)(alphas=ALPHAS)


def nystroem(regression, d, seed):
    from sklearn.kernel_approximation import Nystroem
    return make_pipeline(StandardScaler(), Nystroem(gamma=1 / d, n_components=FEATURES, random_state=seed), ridge(regression))


def nystroem_grid(regression, d, seed):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression, Ridge
    params = dict(nystroem__gamma=SCALES / d)
    if regression:
        params["ridge__alpha"] = RIDGES
    else:
        params["logisticregression__C"] = COSTS
    final = Ridge() if regression else LogisticRegression(max_iter=1000)
    grid = by_grid(make_pipeline(StandardScaler(), Nystroem(n_components=FEATURES, random_state=seed), final), params)
    return TransformedTargetRegressor(grid, transformer=StandardScaler()) if regression else grid


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
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    k = ConstantKernel() * Matern(length_scale=[d ** 0.5] * d, nu=1.5)
    if regression:
        return make_pipeline(StandardScaler(), GaussianProcessRegressor(k + WhiteKernel(), normalize_y=True, random_state=seed))
    return make_pipeline(StandardScaler(), GaussianProcessClassifier(k, random_state=seed))


def extra_trees(regression, d, seed):
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
    return (ExtraTreesRegressor if regression else ExtraTreesClassifier)(random_state=seed)


def boosting(regression, d, seed):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    return (HistGradientBoostingRegressor if regression else HistGradientBoostingClassifier)(random_state=seed)


def names_of(codes):
    """Codes of categories as words; a gap is a category."""
    return ["gap" if np.isnan(v) else "k%d" % v for v in codes]


def logarithmic(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


class LightGBM:
    plain_rounds = 100

    @staticmethod
    def draw(rng, n):
        return dict(learning_rate=logarithmic(rng, 0.02, 0.3), num_leaves=round(logarithmic(rng, 4, 128)),
                    min_child_samples=round(logarithmic(rng, 2, max(3, min(100, n / 10)))), subsample=rng.uniform(0.5, 1), subsample_freq=1,
                    colsample_bytree=rng.uniform(0.4, 1), reg_lambda=logarithmic(rng, 1e-3, 100))

    @staticmethod
    def train(params, classes, x, y, rounds, valid, seed):
        """The model, and with rows for validation the best number of rounds and the loss there."""
        import lightgbm
        params = dict(params, objective="regression" if not classes else "binary" if classes == 2 else "multiclass",
                      metric="l2" if not classes else "binary_logloss" if classes == 2 else "multi_logloss", seed=seed, num_threads=threads, verbose=-1)
        if classes > 2:
            params["num_class"] = classes
        data = lightgbm.Dataset(x, y, categorical_feature=categories or "auto")
        if valid is None:
            return lightgbm.train(params, data, rounds), rounds, 0
        m = lightgbm.train(params, data, rounds, valid_sets=[lightgbm.Dataset(*valid, reference=data)],
                           callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)])
        return m, m.best_iteration, next(iter(m.best_score["valid_0"].values()))

    @staticmethod
    def predict(m, x):
        return m.predict(x)


class XGBoost:
    plain_rounds = 100

    @staticmethod
    def draw(rng, n):
        return dict(learning_rate=logarithmic(rng, 0.02, 0.3), max_depth=int(rng.integers(2, 11)), min_child_weight=logarithmic(rng, 0.5, 30),
                    subsample=rng.uniform(0.5, 1), colsample_bytree=rng.uniform(0.4, 1), reg_lambda=logarithmic(rng, 1e-3, 100))

    @staticmethod
    def train(params, classes, x, y, rounds, valid, seed):
        import xgboost
        params = dict(params, objective="reg:squarederror" if not classes else "binary:logistic" if classes == 2 else "multi:softprob",
                      eval_metric="rmse" if not classes else "logloss" if classes == 2 else "mlogloss", seed=seed, nthread=threads, tree_method="hist", verbosity=0)
        if classes > 2:
            params["num_class"] = classes
        data = XGBoost.matrix(x, y)
        if valid is None:
            return xgboost.train(params, data, rounds), rounds, 0
        m = xgboost.train(params, data, rounds, evals=[(XGBoost.matrix(*valid), "valid")], early_stopping_rounds=PATIENCE, verbose_eval=False)
        return m, m.best_iteration + 1, m.best_score ** (1 if classes else 2)

    @staticmethod
    def matrix(x, y=None):
        import xgboost
        if not categories:
            return xgboost.DMatrix(x, y, nthread=threads)
        types = ["c" if j in categories else "q" for j in range(x.shape[1])]
        return xgboost.DMatrix(x, y, nthread=threads, feature_types=types, enable_categorical=True)

    @staticmethod
    def predict(m, x):
        return m.predict(XGBoost.matrix(x)).astype(float)


class CatBoost:
    plain_rounds = 1000

    @staticmethod
    def draw(rng, n):
        return dict(learning_rate=logarithmic(rng, 0.02, 0.3), depth=int(rng.integers(2, 9)), l2_leaf_reg=logarithmic(rng, 1, 30),
                    bootstrap_type="Bernoulli", subsample=rng.uniform(0.5, 1), rsm=rng.uniform(0.4, 1))

    @staticmethod
    def train(params, classes, x, y, rounds, valid, seed):
        import catboost
        # Its own learning rate depends on the number of rounds, which early stopping changes.
        params = dict(dict(learning_rate=0.1), **params, loss_function="RMSE" if not classes else "Logloss" if classes == 2 else "MultiClass",
                      iterations=rounds, random_seed=seed, thread_count=threads, verbose=False, allow_writing_files=False)
        if classes > 2:
            params["classes_count"] = classes
        m = catboost.CatBoost(params)
        if valid is None:
            return m.fit(CatBoost.pool(x, y)), rounds, 0
        m.fit(CatBoost.pool(x, y), eval_set=CatBoost.pool(*valid), early_stopping_rounds=PATIENCE, use_best_model=False)
        return m, m.get_best_iteration() + 1, next(iter(m.get_best_score()["validation"].values())) ** (1 if classes else 2)

    @staticmethod
    def pool(x, y=None):
        import catboost
        if not categories:
            return catboost.Pool(x, y)
        import pandas
        rows = pandas.DataFrame(x)
        for j in categories:
            rows[j] = names_of(x[:, j])
        return catboost.Pool(rows, y, cat_features=categories)

    @staticmethod
    def predict(m, x):
        x = CatBoost.pool(x)
        loss = m.get_param("loss_function")
        if loss == "RMSE":
            return m.predict(x, thread_count=threads)
        p = m.predict(x, prediction_type="Probability", thread_count=threads)
        return p[:, 1] if loss == "Logloss" else p


class Histograms:
    """scikit-learn's HistGradientBoosting."""

    @staticmethod
    def draw(rng, n):
        return dict(learning_rate=logarithmic(rng, 0.02, 0.3), max_leaf_nodes=round(logarithmic(rng, 4, 128)),
                    min_samples_leaf=round(logarithmic(rng, 2, max(3, min(100, n / 10)))), max_features=rng.uniform(0.4, 1),
                    l2_regularization=logarithmic(rng, 1e-3, 100))

    @staticmethod
    def train(params, classes, x, y, rounds, valid, seed):
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
        kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
        if categories:
            params = dict(params, categorical_features=categories)
        if valid is None:
            return kind(max_iter=rounds, early_stopping=False, random_state=seed, **params).fit(x, y), rounds, 0
        m = kind(max_iter=rounds, early_stopping=True, n_iter_no_change=PATIENCE, random_state=seed, **params).fit(x, y, X_val=valid[0], y_val=valid[1])
        scores = m.validation_score_  # the loss of a number is half of its squared error
        return m, max(1, int(np.argmax(scores))), -float(np.max(scores)) * (1 if classes else 2)

    @staticmethod
    def predict(m, x):
        if not hasattr(m, "classes_"):
            return m.predict(x)
        p = m.predict_proba(x)
        return p[:, 1] if p.shape[1] == 2 else p


def folds_of(x, y, classes, seed):
    """Three folds, or a fifth of many rows."""
    from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
    if len(y) <= FOLDED:
        split = (StratifiedKFold if classes else KFold)(3, shuffle=True, random_state=seed)
    else:
        rare = classes and np.bincount(y).min() < 2
        split = (StratifiedShuffleSplit if classes and not rare else ShuffleSplit)(1, test_size=0.2, random_state=seed)
    return list(split.split(x, y))


class Boosted:
    """A boosting library with its defaults, or searched: settings at random, with early stopping, by three folds or a validation part."""

    def __init__(self, library, regression, seed, searched):
        self.library, self.regression, self.seed, self.searched = library, regression, seed, searched

    def fit(self, x, y):
        k = 0
        if not self.regression:
            self.classes_, y = np.unique(y, return_inverse=True)
            k = len(self.classes_)
        self.best, rounds, self.loss = ({}, self.library.plain_rounds, None) if not self.searched else self.search(k, x, y)
        self.model = self.library.train(self.best, k, x, y, rounds, None, self.seed)[0]
        return self

    def search(self, k, x, y):
        folds = folds_of(x, y, k, self.seed)
        rng = np.random.default_rng(self.seed)
        best = None
        for i in range(trials):
            if i and processor() > SEARCH * budget:
                break
            params = self.library.draw(rng, len(y)) if i else {}
            limit = self.affordable(params, k, x, y, folds)
            if limit < FEWEST and not i:  # at least the defaults
                folds = folds[:1]
                limit = max(1, self.affordable(params, k, x, y, folds))
            elif limit < FEWEST:
                continue
            losses, rounds = [], []
            for train, valid in folds:
                if k:  # a class that is not among the rows to train on has no probability
                    valid = valid[np.isin(y[valid], y[train])]
                _, n, loss = self.library.train(params, k, x[train], y[train], limit, (x[valid], y[valid]), self.seed)
                losses.append(loss)
                rounds.append(n)
            if best is None or np.mean(losses) < best[0]:
                best = np.mean(losses), params, max(1, round(np.mean(rounds)))
        return best[1], best[2], best[0]

    def affordable(self, params, k, x, y, folds):
        """At most ROUNDS, so many that the search ends in its part of the budget, and the fit to all rows in what is left."""
        train = folds[0][0]
        began = processor()
        self.library.train(params, k, x[train], y[train], PROBE, None, self.seed)
        spent = processor()
        if budget == float("inf") or spent == began:
            return ROUNDS
        a_round = (spent - began) / PROBE
        of_search = (SEARCH * budget - spent) / (len(folds) * a_round)
        of_all = (0.9 * budget - spent) / ((len(folds) + len(y) / len(train)) * a_round)
        return int(min(ROUNDS, of_search, of_all))

    def predict(self, x):
        p = self.library.predict(self.model, x)
        if self.regression:
            return p
        return self.classes_[(p > 0.5).astype(int) if p.ndim == 1 else p.argmax(1)]

    def predict_proba(self, x):
        p = np.asarray(self.library.predict(self.model, x), dtype=float)
        p = np.c_[1 - p, p] if p.ndim == 1 else p
        return p / p.sum(1, keepdims=True)  # some are of single precision


def boosted(library, searched):
    return lambda regression, d, seed: Boosted(library, regression, seed, searched)


class Trees:
    """Extremely randomised trees, searched as boosting is."""

    def __init__(self, regression, seed):
        self.regression, self.seed = regression, seed

    def fit(self, x, y):
        k, labels = 0, y
        if not self.regression:
            self.classes_, labels = np.unique(y, return_inverse=True)
            k = len(self.classes_)
        folds = folds_of(x, labels, k, self.seed)
        rng = np.random.default_rng(self.seed)
        best = None
        for i in range(trials):
            if i and processor() > SEARCH * budget:
                break
            params = dict(max_features=rng.uniform(0.1, 1), min_samples_leaf=round(logarithmic(rng, 1, 30))) if i else {}
            losses = [self.loss_of(self.made(params).fit(x[t], labels[t]), x[v], labels[v]) for t, v in folds]
            if best is None or np.mean(losses) < best[0]:
                best = np.mean(losses), params
        self.loss = best[0]
        self.model = self.made(best[1]).fit(x, y)
        if not self.regression:
            self.predict_proba = self.model.predict_proba
        return self

    def made(self, params):
        from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
        return (ExtraTreesRegressor if self.regression else ExtraTreesClassifier)(n_estimators=300, n_jobs=threads, random_state=self.seed, **params)

    def loss_of(self, m, x, y):
        if self.regression:
            return np.mean((m.predict(x) - y) ** 2)
        from sklearn.metrics import log_loss
        seen = np.isin(y, m.classes_)
        return log_loss(y[seen], m.predict_proba(x[seen]), labels=m.classes_)

    def predict(self, x):
        return self.model.predict(x)


class RealMLP:
    """The neural network RealMLP with its tuned defaults, which embeds categories itself."""

    def __init__(self, regression, seed):
        self.regression, self.seed = regression, seed

    def fit(self, x, y):
        from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor
        self.medians = np.nan_to_num(np.nanmedian(x, axis=0))
        self.model = (RealMLP_TD_Regressor if self.regression else RealMLP_TD_Classifier)(device="cpu", n_threads=threads, random_state=self.seed)
        self.model.fit(self.frame(x), y, cat_col_names=categories or None)
        if not self.regression:
            self.classes_ = self.model.classes_
            self.predict_proba = lambda x: normalised(self.model.predict_proba(self.frame(x)))
        return self

    def frame(self, x):
        import pandas
        rows = pandas.DataFrame(x)
        for j in range(x.shape[1]):
            rows[j] = names_of(x[:, j]) if j in categories else rows[j].fillna(self.medians[j])
        return rows

    def __getstate__(self):
        return dict(model=self.model)

    def predict(self, x):
        return np.asarray(self.model.predict(self.frame(x))).reshape(len(x))


def normalised(p):
    """Probabilities of single precision, of which none is 0."""
    p = np.clip(np.asarray(p, dtype=float), 1e-6, 1)
    return p / p.sum(1, keepdims=True)


class OnTensors:
    """A method of PyTorch on standardised columns and targets, classes as columns of 0 and 1; a fifth of the rows chooses."""

    def __init__(self, regression, seed):
        self.regression, self.seed = regression, seed

    def fit(self, x, y):
        import torch
        from sklearn.model_selection import train_test_split
        torch.manual_seed(self.seed)
        torch.set_num_threads(threads)
        self.scaler = StandardScaler().fit(x)
        if self.regression:
            self.mean, self.sd = y.mean(), y.std() or 1
            t = ((y - self.mean) / self.sd)[:, None]
        else:
            self.classes_, at = np.unique(y, return_inverse=True)
            t = np.eye(len(self.classes_))[at]
        tensors = [torch.tensor(a, dtype=torch.float32) for a in train_test_split(self.scaler.transform(x), t, test_size=0.2, random_state=self.seed)]
        self.learn(*tensors)
        return self

    def values(self, x):
        import torch
        return np.asarray(self.raw(torch.tensor(self.scaler.transform(x), dtype=torch.float32)), dtype=float)

    def predict(self, x):
        v = self.values(x)
        return v.reshape(-1) * self.sd + self.mean if self.regression else self.classes_[v.argmax(1)]


class XRFM(OnTensors):
    """Its own loss for classes is Brier's, of probabilities."""

    def learn(self, x, xv, y, yv):
        from xrfm import xRFM
        best = None
        for bandwidth in [1, 3, 10, 30]:
            for reg in [1e-4, 1e-2, 1]:
                if best is not None and processor() > SEARCH * budget:
                    break
                params = dict(model=dict(kernel="l2", bandwidth=float(bandwidth), exponent=1.0, diag=False, bandwidth_mode="constant"),
                              fit=dict(reg=reg, iters=5, verbose=False, early_stop_rfm=True))
                m = xRFM(params, device="cpu", n_threads=threads, random_state=self.seed, verbose=False)
                m.fit(x, self.targets(y), xv, self.targets(yv))
                loss = float(((self.of(m, xv) - np.asarray(yv)) ** 2).mean())
                if best is None or loss < best[0]:
                    best = loss, m
        self.model = best[1]
        if not self.regression:
            self.predict_proba = self.values

    def targets(self, y):
        return y if self.regression else y.argmax(1)

    def of(self, m, x):
        p = np.asarray(m.predict(x) if self.regression else m.predict_proba(x), dtype=float).reshape(len(x), -1)
        if self.regression:
            return p
        p = np.clip(p, 1e-6, 1)  # its 0 is one of single precision
        return p / p.sum(1, keepdims=True)

    def raw(self, x):
        return self.of(self.model, x)


class Falkon(OnTensors):
    def learn(self, x, xv, y, yv):
        import falkon
        best = None
        for width in [0.3, 1, 3, 10]:
            for penalty in [1e-8, 1e-6, 1e-4]:
                if best is not None and processor() > SEARCH * budget:
                    break
                kernel = falkon.kernels.GaussianKernel(width * x.shape[1] ** 0.5)
                m = falkon.Falkon(kernel=kernel, penalty=penalty, M=min(len(x), 2000), seed=self.seed, options=falkon.FalkonOptions(use_cpu=True))
                m.fit(x, y)
                loss = float(((m.predict(xv) - yv) ** 2).mean())
                if best is None or loss < best[0]:
                    best = loss, m
        self.model = best[1]

    def raw(self, x):
        return self.model.predict(x).numpy()


class ExactGP:
    """GPyTorch's exact Gaussian process: Matérn 5/2 with a length for each column on standardised columns and targets, which Adam learns."""
    STEPS, RATE = 50, 0.1
    EXACT, INDUCING, BATCH, EPOCHS = 5000, 512, 512, 40  # above EXACT rows a variational process on inducing points

    def __init__(self, regression, seed):
        self.seed = seed

    def fit(self, x, y):
        import gpytorch
        import torch
        torch.manual_seed(self.seed)
        torch.set_num_threads(threads)
        self.scaler, self.mean, self.sd = StandardScaler().fit(x), y.mean(), y.std() or 1

        class Model(gpytorch.models.ExactGP):
            def __init__(self, x, y, likelihood):
                super().__init__(x, y, likelihood)
                self.mean_module = gpytorch.means.ConstantMean()
                self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=x.shape[1]))

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        t = torch.tensor((y - self.mean) / self.sd, dtype=torch.float32)
        xt = self.tensor(x)
        if len(y) > self.EXACT:
            return self.fit_variational(xt, t)
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()
        self.model = Model(xt, t, self.likelihood)
        marginal = gpytorch.mlls.ExactMarginalLogLikelihood(self.likelihood, self.model)
        adam = torch.optim.Adam(self.model.parameters(), lr=self.RATE)
        for _ in range(self.STEPS):
            if processor() > SEARCH * budget:
                break
            adam.zero_grad()
            loss = -marginal(self.model(xt), t)
            loss.backward()
            adam.step()
        self.model.eval()
        self.likelihood.eval()
        return self

    def fit_variational(self, x, t):
        import gpytorch
        import torch
        from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

        class Model(gpytorch.models.ApproximateGP):
            def __init__(self, points):
                strategy = VariationalStrategy(self, points, CholeskyVariationalDistribution(len(points)), learn_inducing_locations=True)
                super().__init__(strategy)
                self.mean_module = gpytorch.means.ConstantMean()
                self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=points.shape[1]))

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()
        self.model = Model(x[torch.randperm(len(x))[:self.INDUCING]].clone())
        bound = gpytorch.mlls.VariationalELBO(self.likelihood, self.model, num_data=len(t))
        adam = torch.optim.Adam([*self.model.parameters(), *self.likelihood.parameters()], lr=0.01)
        for _ in range(self.EPOCHS):
            for rows in torch.randperm(len(t)).split(self.BATCH):
                if processor() > SEARCH * budget:
                    break
                adam.zero_grad()
                loss = -bound(self.model(x[rows]), t[rows])
                loss.backward()
                adam.step()
        self.model.eval()
        self.likelihood.eval()
        return self

    def __getstate__(self):
        rows = (self.model.train_inputs, self.model.train_targets) if hasattr(self.model, "train_targets") else ()
        return dict(rows=rows, state=self.model.state_dict())

    def tensor(self, x):
        import torch
        return torch.tensor(self.scaler.transform(x), dtype=torch.float32)

    def predict(self, x, return_std=False):
        import torch
        with torch.no_grad():
            f = self.likelihood(self.model(self.tensor(x)))
            mean = f.mean.numpy().astype(float) * self.sd + self.mean
            return (mean, f.stddev.numpy().astype(float) * self.sd) if return_std else mean


METHODS = {
    "sklearn-kernel-ridge": kernel_ridge, "sklearn-kernel-ridge-grid": kernel_ridge_grid, "sklearn-svm": svm,
    "sklearn-svm-grid": svm_grid, "sklearn-nu-svm-grid": nu_svm_grid, "sklearn-gp": gp, "sklearn-gp-columns": gp_columns,
    "sklearn-nystroem": nystroem, "sklearn-nystroem-grid": nystroem_grid, "sklearn-fourier": fourier,
    "sklearn-lda": lda, "sklearn-forest": forest, "sklearn-extra-trees": extra_trees,
    "sklearn-extra-trees-tuned": lambda regression, d, seed: Trees(regression, seed),
    "sklearn-boosting": boosting, "sklearn-boosting-tuned": boosted(Histograms, True),
    "lightgbm": boosted(LightGBM, False), "lightgbm-tuned": boosted(LightGBM, True),
    "xgboost-tuned": boosted(XGBoost, True), "catboost-tuned": boosted(CatBoost, True),
    "xrfm": lambda regression, d, seed: XRFM(regression, seed), "falkon-python": lambda regression, d, seed: Falkon(regression, seed),
    "gpytorch": lambda regression, d, seed: ExactGP(regression, seed),
    "pytabkit-realmlp": lambda regression, d, seed: RealMLP(regression, seed),
}

# The methods that treat categories and gaps themselves.
NATIVE = ("sklearn-boosting", "lightgbm", "xgboost", "catboost", "pytabkit")


def encoder(method, x, y, regression, seed):
    """Turns categories and gaps into what the method can treat; None if there is nothing to do."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder, TargetEncoder
    native = method.startswith(NATIVE)
    most = HISTOGRAM_LEVELS if method.startswith("sklearn-boosting") else np.inf if native else ONE_HOT
    levels = {j: max(len(np.unique(x[:, j])), int(np.nanmax(x[:, j], initial=0)) + 1 if native else 0) for j in categories}
    few, many = [j for j in categories if levels[j] <= most], [j for j in categories if levels[j] > most]
    rest = [j for j in range(x.shape[1]) if j not in categories]
    if not many and (native or not few and not np.isnan(x).any()):
        return None
    kind = "continuous" if regression else "binary" if len(np.unique(y)) == 2 else "multiclass"
    return ColumnTransformer([
        ("few", "passthrough" if native else OneHotEncoder(handle_unknown="ignore", sparse_output=False), few),
        ("many", TargetEncoder(target_type=kind, random_state=seed), many),
        ("rest", "passthrough" if native else SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), rest)]), len(few)


def library(method):
    """The library of a method, as it is imported."""
    return method.split("-")[0]


# What a server imports before the first cell; the libraries of METHODS besides.
SUBMODULES = ["calibration", "discriminant_analysis", "ensemble", "gaussian_process", "kernel_approximation", "kernel_ridge", "linear_model",
              "model_selection", "svm"]


def import_all():
    """Imports what there is; the methods whose library is not there, and why."""
    missing = {}
    for name in SUBMODULES:
        importlib.import_module("sklearn." + name)
    for method in METHODS:
        try:
            importlib.import_module(library(method))
        except Exception as e:
            missing[method] = "%s: %s" % (type(e).__name__, e)
    return missing


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


def processor():
    """Seconds of the processor. Where a limit is set, as here, time.process_time goes by the ticks of the system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def now():
    """Seconds of the processor; on several threads, of the clock."""
    return processor() if threads == 1 else time.monotonic()


def columns(scores, classes):
    """A column for each class, where scikit-learn has one number for two classes."""
    return np.c_[-scores, scores] if scores.ndim == 1 else scores


def run(job):
    global budget, threads, categories, trials
    threads, categories, trials = job["threads"], job.get("categories") or [], job.get("trials") or trials
    budget = job["seconds"]
    method, regression = job["method"], job["task"] == "regression"
    x, y = read(job["train"])
    xt, _ = read(job["test"])
    if not regression:
        y = y.astype(int)
    reset_peak()
    importlib.import_module(library(method))
    name = {"sklearn": "scikit-learn"}.get(library(method), library(method))
    out = dict(version="%s %s" % (name, importlib.metadata.version(name)), memory_before_bytes=peak_bytes())
    seed = job["seed"] % 2 ** 31
    if threads == 1:
        m, xt, p = measured(method, regression, seed, x, y, xt, out)
    else:
        import joblib
        with joblib.parallel_config(backend="threading", n_jobs=threads):  # a process would not be measured
            m, xt, p = measured(method, regression, seed, x, y, xt, out)
    out["memory_peak_bytes"] = peak_bytes()
    out["model_bytes"] = len(pickle.dumps(m))
    if regression:
        out["values"] = np.asarray(p, dtype=float).tolist()
        if method.startswith(("sklearn-gp", "gpytorch")):
            out["variance"] = (m.predict(xt, return_std=True)[1] ** 2).tolist()
        elif getattr(m, "loss", None) is not None:  # the squared error on rows that the search held out
            out["variance"] = [float(m.loss)] * len(xt)
    else:
        out.update(labels=p.tolist(), classes=m.classes_.tolist())
        if hasattr(m, "decision_function"):
            out["scores"] = columns(m.decision_function(xt), m.classes_).tolist()
        if hasattr(m, "predict_proba"):
            out["proba"] = m.predict_proba(xt).tolist()
        if hasattr(m, "values"):
            out["scores"] = m.values(xt).tolist()
    return out


def measured(method, regression, seed, x, y, xt, out):
    """Fits and predicts, and notes the seconds; the model, the rows in the form in which it reads them, and the predictions."""
    global categories
    start = now()
    encoded = encoder(method, x, y, regression, seed)
    if encoded is not None:
        columns, few = encoded
        x = np.asarray(columns.fit_transform(x, y), dtype=float)
        categories = list(range(few)) if method.startswith(NATIVE) else []
    m = METHODS[method](regression, x.shape[1], seed)
    m.fit(x, y)
    out["fit_seconds"] = now() - start
    start = now()
    if encoded is not None:
        xt = np.asarray(columns.transform(xt), dtype=float)
    p = m.predict(xt)
    out["predict_seconds"] = now() - start
    return m, xt, p


if __name__ == "__main__":
    if sys.argv[1:] == ["-serve"]:
        serve(run, METHODS, import_all())
    else:
        method, task, train, test, seed = sys.argv[1:6]
        json.dump(run(dict(method=method, task=task, train=train, test=test, seed=int(seed), threads=int(os.environ.get("BENCHMARK_THREADS", 1)),
                           seconds=float(sys.argv[6]) if len(sys.argv) > 6 else float("inf"))), sys.stdout)
