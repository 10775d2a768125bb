# scikit-learn's principal components, for reference numbers.
#
#   python3 sklearn_pca.py OUT.json
#
# writes rows from a fixed seed, and what PCA and KernelPCA make of them and of other rows:
# transformers/pca/testdata/sklearn_pca.json. Signs are scikit-learn's of the components.
# The numbers in the repository are from 1.9.1.
import json
import sys

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import pairwise_kernels

rng = np.random.RandomState(3)
linear = []
for n, d, components, whiten in [(30, 4, 4, False), (40, 5, 2, True), (12, 80, 11, False), (12, 80, 3, True), (50, 6, 0.8, False)]:
    x = np.round(rng.randn(n, d) * np.exp(rng.randn(d)) + 10 * rng.randn(d), 6)
    fresh = np.round(rng.randn(5, d), 6)
    m = PCA(n_components=components, whiten=whiten, svd_solver="full").fit(x)
    linear.append(dict(components=components if components >= 1 else 0, share=components if components < 1 else 0, whiten=whiten, x=x.tolist(),
                       fresh=fresh.tolist(), directions=m.components_.tolist(), variances=m.explained_variance_.tolist(),
                       ratios=m.explained_variance_ratio_.tolist(), z=m.transform(x).tolist(), zfresh=m.transform(fresh).tolist()))
kernel = []
for name, gamma, n, d, components in [("rbf", 0.5, 30, 3, 6), ("laplacian", 0.3, 25, 4, 10), ("polynomial", 0.5, 40, 2, 5)]:
    x = np.round(rng.randn(n, d), 6)
    fresh = np.round(rng.randn(10, d), 6)
    options = dict(degree=3, coef0=1) if name == "polynomial" else {}
    k = lambda a: pairwise_kernels(a, x, metric=name, gamma=gamma, **options)
    m = KernelPCA(n_components=components, kernel="precomputed", eigen_solver="dense").fit(k(x))
    kernel.append(dict(kernel=name, gamma=gamma, components=components, x=x.tolist(), fresh=fresh.tolist(),
                       values=m.eigenvalues_.tolist(), z=m.transform(k(x)).tolist(), zfresh=m.transform(k(fresh)).tolist()))
with open(sys.argv[1], "w") as f:
    json.dump(dict(linear=linear, kernel=kernel), f, separators=(",", ":"))
    f.write("\n")
