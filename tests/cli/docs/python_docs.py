"""python_docs.py DSE ROOT: runs the Python of docs/run/python.md against the program and judges what it finds."""
import os
import random
import re
import subprocess
import sys
import tempfile
import types

dse, root = sys.argv[1:]
with open(os.path.join(root, "docs/run/python.md"), encoding="utf-8") as page:
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read(), re.S | re.M)
assert len(blocks) >= 5, "docs/run/python.md shows too little Python"
g = {"__name__": "page"}


class Trial:
    def suggest_categorical(self, name, values):
        return random.choice(values)


class Study:
    """As much of Optuna's as the page uses."""

    def __init__(self):
        self.best_trials, self.failed = [], 0

    def ask(self):
        return Trial()

    def tell(self, trial, values=None, state=None):
        if state == "FAIL":
            self.failed += 1
        else:
            assert len(values) == 2 and all(v > 0 for v in values), values
            self.best_trials.append(values)


optuna = types.ModuleType("optuna")
study = Study()
optuna.create_study = lambda directions, sampler: study
optuna.samplers = types.SimpleNamespace(NSGAIISampler=lambda seed: None)
optuna.trial = types.SimpleNamespace(TrialState=types.SimpleNamespace(FAIL="FAIL"))
sys.modules["optuna"] = optuna
for block in blocks:
    exec(compile(block, "docs/run/python.md", "exec"), g)

TINY = """format: 1
name: tiny
seed: 1
input: {shape: [1, 8, 8, 4], scale: 0.5, zero_point: 0}
layers:
  - conv: {filters: 8, kernel: 3}
  - fully_connected: {units: 4}
"""


def explored(network, folder):
    out = os.path.join(folder, os.path.basename(network))
    os.makedirs(folder, exist_ok=True)
    sweep = out + ".sweep.yaml"  # layer by layer, as the search outside
    with open(sweep, "w", encoding="utf-8") as file:
        file.write(f"networks: [{network}]\ndevices: [gap8-class]\nexplore: {{by_phases: false}}\n")
    subprocess.run([dse, "run", sweep, "-o", out], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


with g["Dse"]("ds-cnn", "gap8-class", "--verify", dse=dse) as measure:
    answer = measure({"conv0.tile": 4, "id": "first"})
    assert answer["status"] == "ok" and answer["id"] == "first" and answer["latency_us"] > 0, answer
    assert answer["assignment"]["conv0.tile"] == "4", answer
    again = measure(answer["assignment"])
    assert (again["plan"], again["metrics"]) == (answer["plan"], answer["metrics"]), "the same choices, another plan"
    size, smaller = g["within"](measure, {}, ("28 KiB", "33 KiB", "128 KiB"))
    assert size == "128 KiB" and smaller["assignment"]["device.memories.l1.size"] == size, (size, smaller)
    assert g["within"](measure, {}, ("28 KiB",)) is None

try:
    with g["Dse"]("no-such-network", "gap8-class", dse=dse) as measure:
        measure({})
    sys.exit("a session on a network that does not exist goes on")
except RuntimeError as e:
    assert "exit code 3" in str(e), e
except BrokenPipeError:
    pass  # it had ended before the line was written

space = g["choices"]("ds-cnn", "gap8-class", dse)
for c in space:
    assert len(c["values"]) >= 2 and c["doc"] and (c["default"] is None or c["default"] in c["values"]), c
    assert c["default"] is not None or c["conditional"], c

# A drawn assignment is a plan or does not fit; nothing drawn is invalid. Two processes say what one says.
rng = random.Random(7)
drawn = [{**g["draw"](space, rng), "id": i} for i in range(40)]
both = g["measure_all"](drawn, "ds-cnn", "gap8-class", jobs=2, dse=dse)
assert both == g["measure_all"](drawn, "ds-cnn", "gap8-class", jobs=1, dse=dse), "two processes differ from one"
assert [a["id"] for a in both] == list(range(40)), both
assert {a["status"] for a in both} == {"ok", "infeasible"}, {a["status"] for a in both}

with tempfile.TemporaryDirectory() as folder:
    space = [c for c in space if not c["name"].endswith((".phases", ".halo", ".strips", ".in_place"))]
    rng = random.Random(1)
    with g["Dse"]("ds-cnn", "gap8-class", dse=dse) as measure:
        first = g["random_search"](measure, space, 60, rng)
        best = g["evolve"](measure, space, first, 240, rng)
    assert first and len(best) > 1, (len(first), len(best))
    assert best[-1]["latency_cycles"] < first[-1]["latency_cycles"] and best[0]["memory"] < first[0]["memory"]
    for a, b in zip(best, best[1:]):
        assert a["memory"] < b["memory"] and a["latency_cycles"] > b["latency_cycles"], "not a front"
    excess, better = g["compare"](best, explored("ds-cnn", folder))
    assert not better, f"better than a complete front: {better}"
    assert any(e is not None and e < 50 for e in excess), excess

    # Where there is little to choose, a search from outside meets the proven front.
    tiny = os.path.join(folder, "tiny.yaml")
    with open(tiny, "w", encoding="utf-8") as file:
        file.write(TINY)
    out = explored(tiny, os.path.join(folder, "out"))
    excess, better = g["compare"](g["search"](tiny, "gap8-class", 2000, dse=dse), out)
    assert not better, f"better than a complete front: {better}"
    assert excess.count(0) >= len(excess) // 4 and excess[-1] < 5, excess

random.seed(1)
g["Dse"].__init__.__kwdefaults__ = {"dse": dse}
g["choices"].__defaults__ = (dse,)
assert g["optimise"]("ds-cnn", "gap8-class", 60) is study.best_trials
assert len(study.best_trials) + study.failed == 60 and study.best_trials, study.failed
