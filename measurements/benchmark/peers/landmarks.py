# What scikit-learn does beside measurements/landmarks.
#
#   python3 landmarks.py FOLDER TASK METHOD SEED [LANDMARKS GAMMA RIDGE]
#
# TASK is regression or classification. FOLDER holds the matrices x, y (one row) and xt as the program
# wrote them: two 64-bit integers, rows and columns, and the float64 values. METHOD is boosting,
# HistGradientBoosting as it comes; boosting500, with 500 rounds; or nystroem, Nystroem with RBF and
# Ridge, which also writes the landmarks. The predictions for xt are written to p. Prints two numbers, the seconds of the
# clock and of all processors that learning took; reading and importing are not timed.
# Debian: python3-sklearn. The numbers in the repository are from 1.2.1.
import os
import sys
import time

import numpy as np

folder, task, method, seed = sys.argv[1:5]
seed = int(seed)


def read(name):
    path = os.path.join(folder, name)
    rows, columns = np.fromfile(path, dtype=np.int64, count=2)
    return np.fromfile(path, dtype=np.float64, offset=16).reshape(rows, columns)


def write(name, m):
    with open(os.path.join(folder, name), "wb") as f:
        np.array(m.shape, dtype=np.int64).tofile(f)
        np.ascontiguousarray(m, dtype=np.float64).tofile(f)


def boosting(**settings):
    if task == "regression":
        from sklearn.ensemble import HistGradientBoostingRegressor as Boosting
    else:
        from sklearn.ensemble import HistGradientBoostingClassifier as Boosting
    model = Boosting(random_state=seed, **settings)
    return lambda: model.fit(x, y), lambda: model.predict(xt)


def nystroem():
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    m, gamma, ridge = int(sys.argv[5]), float(sys.argv[6]), float(sys.argv[7])
    features, model = Nystroem(kernel="rbf", gamma=gamma, n_components=m, random_state=seed), Ridge(alpha=ridge)

    def predicted():
        write("landmarks", features.components_)
        return model.predict(features.transform(xt))

    return lambda: model.fit(features.fit_transform(x), y), predicted


METHODS = dict(boosting=boosting, boosting500=lambda: boosting(max_iter=500, early_stopping=False), nystroem=nystroem)

x, y, xt = read("x"), read("y")[0], read("xt")
fit, predict = METHODS[method]()
begin, processor = time.perf_counter(), time.process_time()
fit()
took = time.perf_counter() - begin, time.process_time() - processor
write("p", predict().reshape(1, -1))
print(*took)
