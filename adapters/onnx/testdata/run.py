"""Runs ONNX models for the tests of package onnx.

usage: run.py FOLDER [-time]

FOLDER/models.json is a list of {"model", "rows", "columns", "float32"}: rows of numbers of double precision are
in MODEL.x. Each output goes to MODEL.NAME, as such numbers. The last line printed is JSON: for each model the names of the
outputs and, with -time, the microseconds that a row takes, all of them at once, on one thread: of repetitions the quickest.
"""
import json
import os
import sys
import time

import numpy
import onnxruntime

try:
    import onnx
except ImportError:  # the checker is not needed to run
    onnx = None

folder, timed = sys.argv[1], "-time" in sys.argv
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.inter_op_num_threads = 1
answers = []
for entry in json.load(open(os.path.join(folder, "models.json"))):
    path = os.path.join(folder, entry["model"])
    try:
        if onnx is not None:
            onnx.checker.check_model(onnx.load(path), full_check=True)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        x = numpy.fromfile(path + ".x").reshape(entry["rows"], entry["columns"])
        if entry["float32"]:
            x = x.astype(numpy.float32)
        names = [o.name for o in session.get_outputs()]
        for name, value in zip(names, session.run(None, {"x": x})):
            value.astype(numpy.float64).tofile(path + "." + name)
        answer = {"outputs": names, "metadata": session.get_modelmeta().custom_metadata_map}
        if timed:
            begin, best = time.perf_counter(), float("inf")
            while time.perf_counter() - begin < 0.3:
                start = time.perf_counter()
                session.run(None, {"x": x})
                best = min(best, time.perf_counter() - start)
            answer["microseconds"] = best / len(x) * 1e6
        answers.append(answer)
    except Exception as e:  # the test names the model
        answers.append({"error": str(e)})
print(json.dumps({"runtime": onnxruntime.__version__, "checked": onnx is not None, "models": answers}))
