# What scikit-learn does beside measurements/novelty.
#
#   python3 novelty.py FOLDER SEED LEVEL
#
# FOLDER holds the matrices x and xt as the program wrote them: two 64-bit integers, rows and columns, and the
# float64 values. The scores of the rows of xt, the larger the more usual, and whether they are novel, 1 or 0, are
# written to scores and novel, a row for each method: the one-class SVM with nu of LEVEL and with its defaults, the local outlier
# factor and the isolation forest, these two with a contamination of LEVEL; all on standardised columns, the rest by default.
# PyPI: scikit-learn. The numbers in the repository are from 1.9.1.
import os
import sys
import warnings

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

warnings.filterwarnings("ignore")
folder, seed, level = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])


def read(name):
    path = os.path.join(folder, name)
    rows, columns = np.fromfile(path, dtype=np.int64, count=2)
    return np.fromfile(path, dtype=np.float64, offset=16).reshape(rows, columns)


def write(name, m):
    with open(os.path.join(folder, name), "wb") as f:
        np.array(m.shape, dtype=np.int64).tofile(f)
        np.ascontiguousarray(m, dtype=np.float64).tofile(f)


scaler = StandardScaler().fit(read("x"))
x, xt = scaler.transform(read("x")), scaler.transform(read("xt"))
models = [OneClassSVM(nu=level), OneClassSVM(), LocalOutlierFactor(novelty=True, contamination=level),
          IsolationForest(contamination=level, random_state=seed)]
scores, novel = [], []
for m in models:
    m.fit(x)
    scores.append(m.score_samples(xt))
    novel.append(m.predict(xt) < 0)
write("scores", np.array(scores))
write("novel", np.array(novel, dtype=float))
