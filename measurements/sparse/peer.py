"""Prints the seconds and accuracies of scikit-learn on a corpus of the program sparse: python peer.py corpus.json."""

import json
import sys
import time

import sklearn
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import LinearSVC

with open(sys.argv[1], encoding="utf-8") as file:
    corpus = json.load(file)
train, test, labels, truth = (corpus[k] for k in ("Train", "Test", "Labels", "Truth"))
name = "scikit-learn " + sklearn.__version__ + " "
out = []

start = time.perf_counter()
HashingVectorizer().transform(train + test)
out.append(dict(Method=name + "HashingVectorizer", Seconds=time.perf_counter() - start))

start = time.perf_counter()
vectorizer = TfidfVectorizer()
x, z = vectorizer.fit_transform(train), vectorizer.transform(test)
out.append(dict(Method=name + "TfidfVectorizer", Seconds=time.perf_counter() - start))

for title, model in [("RidgeClassifier, alpha=1", RidgeClassifier()), ("LinearSVC, C=1", LinearSVC())]:
    start = time.perf_counter()
    got = model.fit(x, labels).predict(z)
    seconds = time.perf_counter() - start
    out.append(dict(Method=name + title, Seconds=seconds, Accuracy=sum(a == b for a, b in zip(got, truth)) / len(truth)))

print(json.dumps(out))
