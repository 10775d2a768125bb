# A process that stays up over the cells of measurements/benchmark, which imports its libraries once.
#
# It writes a line of JSON when it has imported them, {"ready": true, "missing": {METHOD: REASON}}, and then reads one
# line for each cell,
#
#   {"method", "task", "train", "test", "seed", "seconds", "clock", "threads"}
#
# and answers each with a line, what run returns or one of
#
#   {"over_budget": true}
#   {"ended": "exit status 3", "problems": the end of what the cell wrote to its standard error}
#
# A cell is a child made by fork, in a group of its own, so that no cell sees what another left in memory. "seconds"
# is its limit of the processor's time, "clock" that of the clock; a child that is over one of them is ended with its
# group, as is one whose server was told to end by the end of its standard input. This file needs nothing but Python.
import json
import os
import resource
import select
import signal
import sys
import time
import traceback

KEPT = 16 << 10  # bytes of a child's standard error
HARD = 2  # seconds that a child may use after the signal of its limit


def serve(run, methods, missing):
    """Answers cells with run(job), until there are no more. missing says which of the methods cannot be run, and why."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    if not hasattr(os, "fork"):
        missing = {m: "this system has no fork" for m in methods}
    print(json.dumps(dict(ready=True, missing=missing)), file=answers)
    waiting = b""
    while True:
        while b"\n" not in waiting:
            part = os.read(0, 1 << 16)
            if not part:
                return
            waiting += part
        line, waiting = waiting.split(b"\n", 1)
        print(cell(run, json.loads(line)), file=answers)


def cell(run, job):
    """The answer of a cell, a line of JSON."""
    result, to_result = os.pipe()
    problems, to_problems = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    server = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(result)
        os.close(problems)
        os._exit(work(run, job, server, to_result, to_problems))
    os.close(to_result)
    os.close(to_problems)
    try:
        os.setpgid(child, child)  # the child does so too: whoever is first
    except OSError:
        pass
    until = time.monotonic() + job["clock"]
    text, said, late = listen(child, result, problems, until)
    gone, status, usage = os.wait4(child, os.WNOHANG)
    while not gone:  # it has closed its pipes, and should end at once
        if time.monotonic() > until:
            late = True
            end_group(child)
        time.sleep(0.001)
        gone, status, usage = os.wait4(child, os.WNOHANG)
    end_group(child)  # what the child has started
    os.close(result)
    os.close(problems)
    used = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        by = os.WTERMSIG(status)
        # A lack of memory kills too.
        if late or by == signal.SIGXCPU or by == signal.SIGKILL and used >= job["seconds"]:
            return json.dumps(dict(over_budget=True))
        ended = "signal: " + {signal.SIGKILL: "killed", signal.SIGSEGV: "segmentation fault"}.get(by, signal.Signals(by).name)
    elif status == 0:
        return text.decode().replace("\n", " ")
    else:
        ended = "exit status %d" % os.WEXITSTATUS(status)
    return json.dumps(dict(ended=ended, problems=said.decode(errors="replace")))


def listen(child, result, problems, until):
    """What the child writes until it ends, of its problems the end; and whether it was ended for being late."""
    text, said, late = b"", b"", False
    left = {result, problems}
    while left:
        readable = select.select([*left, 0], [], [], max(0, until - time.monotonic()))[0]
        if not readable and late:  # somebody else holds the pipes open
            break
        if not readable:
            late, until = True, time.monotonic() + HARD
            end_group(child)
        if 0 in readable and not os.read(0, 1 << 16):  # who asked is gone
            end_group(child)
            os._exit(1)
        for pipe in left.intersection(readable):
            part = os.read(pipe, 1 << 16)
            if not part:
                left.remove(pipe)
            elif pipe == result:
                text += part
            else:
                said = (said + part)[-KEPT:]
    return text, said, late


def end_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass


def work(run, job, server, to_result, to_problems):
    """Runs a cell in the child and returns its exit code."""
    try:
        os.setpgid(0, 0)
    except OSError:
        pass
    die_with(server)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(to_problems, 1)
    os.dup2(to_problems, 2)
    os.close(to_problems)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + HARD))
    code = 0
    try:
        out = json.dumps(run(job)).encode()
        with os.fdopen(to_result, "wb") as f:
            f.write(out)
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 1 if e.code else 0
        if code and not isinstance(e.code, int):
            print(e.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    return code


def die_with(server):
    """Linux ends the child when its server is killed; elsewhere its limits do."""
    if sys.platform == "linux":
        try:
            import ctypes
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            if os.getppid() != server:
                os._exit(1)
        except (OSError, AttributeError):
            pass
