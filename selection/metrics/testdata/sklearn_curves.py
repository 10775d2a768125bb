"""Writes the reference numbers of curves: python3 sklearn_curves.py > sklearn_curves.json"""
import json, sys
import numpy as np, scipy, sklearn
from scipy.stats import binomtest
from sklearn.metrics import roc_curve, roc_auc_score, precision_recall_curve, average_precision_score
from sklearn.calibration import calibration_curve

rng = np.random.default_rng(28)
cases = []
for n, levels, weighted in [(30, 0, False), (60, 6, False), (60, 6, True), (40, 1, False), (200, 25, True), (2, 0, False)]:
    y = rng.integers(0, 2, n)
    y[:2] = [0, 1]
    s = rng.normal(size=n) + y
    if levels:
        s = np.floor(s * levels / 4)
    if levels == 1:
        s[:] = 0.5
    w = rng.integers(1, 9, n) / 4 if weighted else None
    fpr, tpr, th = roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    p, r, pt = precision_recall_curve(y, s, sample_weight=w)
    cases.append(dict(y=y.tolist(), scores=s.tolist(), weights=None if w is None else w.tolist(),
        fpr=fpr.tolist(), tpr=tpr.tolist(), thresholds=th[1:].tolist(), auc=roc_auc_score(y, s, sample_weight=w),
        precision=p[:-1][::-1].tolist(), recall=r[:-1][::-1].tolist(), pr_thresholds=pt[::-1].tolist(),
        ap=average_precision_score(y, s, sample_weight=w)))

y = rng.integers(0, 4, 80)
p = rng.dirichlet(np.ones(4), 80) * .7 + .3 * np.eye(4)[y]
p = np.round(p, 2)
many = dict(y=y.tolist(), scores=p.tolist(),
    auc=[roc_auc_score(y == k, p[:, k]) for k in range(4)],
    ap=[average_precision_score(y == k, p[:, k]) for k in range(4)],
    mean_ap=average_precision_score(np.eye(4)[y], p, average="macro"))

q = rng.random(300)
hit = (rng.random(300) < q ** 1.5).astype(int)
bins = {}
for strategy in ("uniform", "quantile"):
    f, m = calibration_curve(hit, q, n_bins=10, strategy=strategy)
    bins[strategy] = dict(frequency=f.tolist(), mean=m.tolist())
wilson = []
for k, n, level in [(0, 5, .95), (5, 5, .95), (3, 10, .95), (17, 120, .9), (1, 1, .5)]:
    i = binomtest(k, n).proportion_ci(level, method="wilson")
    wilson.append(dict(k=k, n=n, level=level, low=i.low, high=i.high))
json.dump(dict(note="python3 sklearn_curves.py, scikit-learn %s, scipy %s" % (sklearn.__version__, scipy.__version__),
    cases=cases, many=many, calibration=dict(y=hit.tolist(), p=q.tolist(), **bins), wilson=wilson), sys.stdout)
