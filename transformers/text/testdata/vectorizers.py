"""Writes vectorizers.json: rows of documents by scikit-learn 1.6.1, as [row, column, value], for the tests of package text.

    python vectorizers.py > vectorizers.json
"""

import json
import random

from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.utils import murmurhash3_32

random.seed(7)
words = "kernel ridge row column landmark fold scaling evidence interval class a I x1 snake_case 42 7".split()
documents = [
    "The quick brown fox, the lazy dog; THE END.",
    "Größe und Maß: naïve café, CAFÉ Über",
    "один два ДВА  три\t\tтри  два",
    "数据 科学 数据科学 x² ½ ١٢٣",
    "tabs\tand  two spaces\n\nand lines \x1c here",
    "",
    "a b c d",
    "don't stop-words e-mail@example.org 3.14 _private __init__",
    "combining e\u0301 mark",
]
for _ in range(20):
    documents.append(" ".join(random.choice(words) for _ in range(random.randrange(1, 25))))

cases = {
    "default": dict(),
    "words of one to three": dict(ngram_range=(1, 3)),
    "pairs without stop words": dict(ngram_range=(2, 2), stop_words=["the", "and", "ridge"]),
    "characters": dict(analyzer="char", ngram_range=(1, 3)),
    "characters of words": dict(analyzer="char_wb", ngram_range=(3, 5)),
    "case": dict(lowercase=False),
    "limits": dict(min_df=3, max_df=0.4),
    "shares": dict(min_df=0.1, max_df=12),
    "largest": dict(max_features=9),
    "sublinear": dict(sublinear_tf=True, norm="l1"),
    "binary": dict(binary=True, norm=None),
    "no idf": dict(use_idf=False),
    "no smoothing": dict(smooth_idf=False),
}
hashes = {
    "default": dict(),
    "few columns": dict(n_features=50),
    "no signs": dict(n_features=50, alternate_sign=False, norm="l1"),
    "binary": dict(n_features=64, binary=True, norm=None),
    "characters": dict(n_features=1000, analyzer="char_wb", ngram_range=(2, 4)),
}


def rows(x):
    x = x.tocsr()
    x.eliminate_zeros()
    x.sort_indices()
    x = x.tocoo()
    return [[int(i), int(j), float(v)] for i, j, v in zip(x.row, x.col, x.data)]


out = dict(documents=documents, tfidf={}, hashing={})
for name, options in cases.items():
    v = TfidfVectorizer(**options)
    x = v.fit_transform(documents)
    out["tfidf"][name] = dict(terms=list(v.get_feature_names_out()), rows=rows(x), fresh=rows(v.transform(["ridge the row два zzz", "q"])))
for name, options in hashes.items():
    out["hashing"][name] = dict(rows=rows(HashingVectorizer(**options).transform(documents)))
out["murmur3"] = {w: murmurhash3_32(w, seed=0, positive=True) for w in ["", "a", "ab", "abc", "abcd", "größe", "kernel ridge", "数据"]}
print(json.dumps(out, ensure_ascii=True, separators=(",", ":")))
