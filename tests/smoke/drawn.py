#!/usr/bin/env python3
"""Drawn networks through every command, as matrix.py does with those that are shipped.

drawn.py --dse BUILD/cli/dse --writer BUILD/tests/smoke/smoke_write_networks [--count N] [--first K] [--least | --streams]
         [--devices NAME_OR_FILE ...] [--jobs N] [--timeout SECONDS] [--keep FOLDER] [--table FILE]

--count N: so many networks, or DSE_SLOW per cent of them, from number K on, each on one device: on all devices in turn. What is asked of
one follows from its number. A network is searched with a small budget; a point that is drawn becomes a package in a style that is drawn,
compiled and run; `check`, `memory`, `optimise-memory` and, on an Ethos-U in turn, `npu --check` have to agree. Then one question that is
tighter: a limit or a smaller memory. Whatever is refused has to name a bound, and giving that much has to do.
--least: only the tighter questions, of small networks without a budget, so that most answers are *the least*: that much has to do, one
less has to be refused with the same number.
--streams: wake-word networks alone, each on every one of ten microcontrollers: searched, and packages of both styles compiled and run.
A command that ends otherwise than it should, or not within --timeout, fails the draw. Exit code 1 when any did."""
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import re
import resource
import shutil
import sys
import threading

import matrix
from matrix import CMSIS_NN, Failure, NPUS, ROOT

# For --least: devices by kind.
LEAST = {
    "cpu": ("apollo4-plus-reference", "stm32h743-reference", "stm32f746-tinyengine"),
    "cpu with library": ("nrf52840", "cortex-m7-class", "alif-ensemble-e8", "stm32l4r5"),
    "cluster with l1": ("gap8-class", "gap8", "gap9"),
    "dsp l1-l2-l3": ("dsp-l1-l2-l3",),
    "array": ("os-array-16x16", "array-45nm", "conv-units", "wide-sums"),
    "npu with cpu": ("corstone-u55", "corstone-u85", "alif-ensemble-he"),
}
# No bound, and true whatever the memories are: the device has no figure for such a layer.
UNKNOWN = re.compile(r"fits in no schedule: .*(can have no row|no macs_per_cycle|cannot make Fourier)")
MICROCONTROLLERS = ["nrf52840", "nrf5340", "stm32h743", "stm32f746", "stm32l4r5", "stm32u575", "rp2040", "rp2350", "efr32mg24", "apollo510"]
NEEDS = re.compile(r"(\w+): layer (\S+) needs at least (\d+) bytes of (\d+) free")
TOGETHER = re.compile(r"(\w+): the layers together need (\d+) bytes of (\d+) free")
OWN = re.compile(r"(\w+) has (\d+) bytes free, the layer's own buffers need (\d+)")
OF_NPU = re.compile(r"(\w+) has (\d+) bytes free, the schedule needs (\d+): ")
BY_RULE = re.compile(r"(\w+) is .* short: .* \((\d+) bytes are missing\)")
SHORT = re.compile(r"(\w+) is (\d+) bytes short: the weights need (\d+) bytes of (\d+) free")
BESIDE = re.compile(r"keeps (\d+) bytes of RAM beside")
GRAIN = 64  # a memory's size is a multiple of its alignment


class Figures:
    """What was counted, by all draws."""

    def __init__(self):
        self.guard = threading.Lock()
        self.of = collections.Counter()

    def count(self, what):
        with self.guard:
            self.of[what] += 1


def value_text(metric, value):
    """A limit of that much, rounded up to what a file may say."""
    return f"<= {math.ceil(value * 1e6) / 1e6:.6f} us" if metric == "latency" else f"<= {value:.0f} B"


def lacking(reason):
    """Which memory is too small, and by how many bytes."""
    if found := NEEDS.search(reason):
        return found[1], int(found[3]) - int(found[4])
    if found := TOGETHER.search(reason):
        return found[1], int(found[2]) - int(found[3])
    if found := OWN.search(reason) or OF_NPU.search(reason):
        return found[1], int(found[3]) - int(found[2])
    if found := SHORT.search(reason) or BY_RULE.search(reason):
        return found[1], int(found[2])
    return None, 0


class Draw(matrix.Cell):
    """One network on one device."""

    def __init__(self, options, compiler, figures, number, network, device, folder):
        super().__init__(options, compiler, network, device, folder)
        self.figures, self.number, self.random = figures, number, random.Random(f"{number} {device}")
        self.asked = 0
        # Beside plans by phases, which are planned and not searched, nothing is said to be the least.
        self.phases = not options.least or self.kind() == "npu with cpu" or self.random.random() < 0.3

    def ask(self, limits=(), sizes=(), simulations=None):
        """A search. @returns folder of its results, its front as in results.json or infeasible.json, whether there is one."""
        name = f"out{self.asked}"
        self.asked += 1
        device = self.device
        if sizes:
            axes = ", ".join(f"memories.{m}.size: [{size} B]" for m, size in dict(sizes).items())
            device = f"{{base: {device}, axes: {{{axes}}}}}"
        text = f"networks: [{self.network}]\ndevices: [{device}]\nexplore:\n"
        if not self.phases:
            text += "  by_phases: false\n"
        if simulations:
            text += f"  budget: {{simulations: {simulations}}}\n"
        text += "  constraints: {" + ", ".join(f'{m}: "{value_text(m, v)}"' for m, v in dict(limits).items()) + "}\n"
        (self.folder / f"{name}.yaml").write_text(text)
        code, out, err = self.dse("run", f"{name}.yaml", "-o", name, "--jobs", "1", allowed=(0, 4, 6))
        file = self.folder / name / ("infeasible.json" if code else "results.json")
        front = json.loads(file.read_text())["fronts"][0]
        if code and not front["infeasible_reason"].strip():
            raise Failure(f"dse run {name}.yaml: exit {code} without a reason\n{text}{out}{err}")
        if front.get("undecided", False) != (code == 6) or code == 6 and not simulations:
            raise Failure(f"dse run {name}.yaml: exit {code} is not what its front says\n{text}{out}{err}")
        return name, front, code == 0

    def why(self, name, front):
        return f"{(self.folder / (name + '.yaml')).read_text()}{front['infeasible_reason']}"

    def confirm(self, name, front, limits, sizes, simulations):
        """What a refusal names does, and where it is the least, less does not."""
        if front.get("least"):
            for least in front["least"]:
                self.confirm_least(name, front, least, dict(limits), sizes, simulations)
            return
        for _ in range(40):
            if front.get("undecided"):
                return self.figures.count("no plan within a budget, and no verdict")
            reason = front["infeasible_reason"]
            if UNKNOWN.search(reason):
                return self.figures.count("exit 4: a layer that the device has no figures for")
            if beside := BESIDE.search(reason):
                return self.loosened(limits, sizes, simulations, {"ram": int(beside[1]) + 1})
            memory, lacks = lacking(reason)
            if not memory:
                raise Failure(f"dse run {name}.yaml: no bound in its reason\n{self.why(name, front)}")
            if lacks <= 0:
                raise Failure(f"dse run {name}.yaml: a bound that is met\n{self.why(name, front)}")
            size = next(m["size_bytes"] for m in front["memories"] if m["name"] == memory)
            sizes = dict(sizes) | {memory: -(-(size + lacks) // GRAIN) * GRAIN}
            name, front, fits = self.ask(limits, sizes, simulations)
            if fits:
                return self.figures.count("exit 4 for a memory's size, confirmed")
            if front.get("least"):
                return self.confirm(name, front, limits, sizes, simulations)
        raise Failure(f"dse run {name}.yaml: no size is enough\n{self.why(name, front)}")

    def loosened(self, limits, sizes, simulations, change):
        """Asks once more with a limit that the last answer named; that has to be the end, or a least."""
        limits = dict(limits) | change
        name, front, fits = self.ask(limits, sizes, simulations)
        return None if fits else self.confirm(name, front, limits, sizes, simulations)

    def confirm_least(self, name, front, least, limits, sizes, simulations):
        metric = least["metric"]
        for which, others in (("alone", {}), ("beside", {m: v for m, v in limits.items() if m != metric})):
            said = least[which]
            if not said:
                continue
            more, again, fits = self.ask(others | {metric: said["value"]}, sizes, simulations)
            if not fits:
                raise Failure(f"dse run {more}.yaml: the least that was found is refused\n{self.why(name, front)}\n{self.why(more, again)}")
            word = "the least is" if said["complete"] else "the least found is"
            if said["complete"]:
                less = said["value"] - (0.001 if metric == "latency" else 1)  # less than a cycle, a byte
                more, again, fits = self.ask(others | {metric: less}, sizes, simulations)
                if fits:
                    raise Failure(f"dse run {more}.yaml: finds less than the least\n{self.why(name, front)}")
                same = next((l[which] for l in again.get("least", []) if l["metric"] == metric), None)
                if not same or same["value"] != said["value"]:
                    raise Failure(f"dse run {more}.yaml: another least\n{self.why(name, front)}\n{self.why(more, again)}")
            self.figures.count(f"{word}, of {metric}, on {self.kind()}: confirmed")

    def kind(self):
        return next((k for k, devices in LEAST.items() if self.device in devices), "others")

    def tighter(self, front, simulations):
        """A limit or a smaller memory, about what the least plan in hand needs."""
        smallest, fastest = (min(front["points"], key=lambda p, m=m: p[m]) for m in ("memory_bytes", "latency_us"))
        share = self.random.choice((0.02, 0.3, 0.6, 0.9, 0.99))
        kind = self.random.choice(("memory", "memory", "latency", "both", "size", "size" if self.kind() == "npu with cpu" else "ram"))
        limits, sizes = {}, {}
        if kind in ("memory", "both"):
            limits["memory"] = max(1, int(smallest["memory_bytes"] * (share if kind == "memory" else 1.2)))
        if kind in ("latency", "both"):
            limits["latency"] = fastest["latency_us"] * (share if kind == "latency" else 1.0001)
        if kind == "ram":
            limits["ram"] = max(1, int(smallest["memory_bytes"] * share))
        if kind == "size":
            memory = self.random.choice([m for m in front["memories"] if m["on_chip"]])
            used = next(m["arena_bytes"] for m in smallest["memories"] if m["memory"] == memory["name"])
            sizes[memory["name"]] = memory["reserved_bytes"] + max(GRAIN, int(used * share) // GRAIN * GRAIN)
        name, refused, fits = self.ask(limits, sizes, simulations)
        if fits:
            return self.figures.count("tighter questions with a plan")
        self.figures.count("tighter questions refused")
        proven = [l["alone"]["value"] for l in refused.get("least", []) if l["metric"] == "memory" and l["alone"] and l["alone"]["complete"]]
        if proven and not sizes and smallest["memory_bytes"] < proven[0]:
            raise Failure(f"dse run {name}.yaml: a plan of {smallest['memory_bytes']} bytes was found\n{self.why(name, refused)}")
        self.confirm(name, refused, limits, sizes, simulations)

    def package(self, out):
        point = self.random.choice(("smallest", "fastest", "knee"))
        style = self.random.choice(("interpreted", "interpreted", "static", "cmsis-nn"))
        extra, library = [], ()
        self.dse("export", out, "--point", point, "-o", "package")
        manifest = json.loads((self.folder / "package/manifest.json").read_text())
        if style == "cmsis-nn":
            if not manifest["kernels"]["timed_as"].startswith("cmsis-nn") or manifest["points"][0]["ram"]["npu_emulation"]:
                style = "interpreted"
            else:
                extra, library = ["--kernels", "cmsis-nn"], sorted(CMSIS_NN.glob("Source/*/*.c"))
        if style == "static":
            extra = ["--style", "static", "--prefix", "net"]
        if extra:
            self.dse("export", out, "--point", point, "-o", style, *extra)
        self.runs(self.folder / (style if extra else "package"), library)
        self.dse("run", "--from-package", "package")
        self.dse("check", "package", "--network", self.network, "--device", self.device)

    def stream(self):
        name, front, fits = self.ask(simulations=20)
        if not fits:
            raise Failure(f"dse run {name}.yaml: a wake-word network has no plan\n{self.why(name, front)}")
        self.package(name)
        self.dse("export", name, "--point", "smallest", "-o", "linked", "--style", "static", "--prefix", "net")
        self.runs(self.folder / "linked")
        self.figures.count("wake-word networks exported, bytes equal")

    def npu(self, config):
        mode = "Dedicated_Sram" if "u65" in config else "Sram_Only" if "-32" in config else "Shared_Sram"
        npu = ("npu", self.network, "--config", config, "--memory-mode", mode)
        self.dse(*npu, "--check")
        if self.random.random() < 0.3:
            said = json.loads(self.dse(*npu, "--optimise", "size", "--json")[1])
            for block, causes in said["time"].items():
                if sum(causes.values()) != said["npu_active_cycles"]:
                    raise Failure(f"dse npu: the times of {block} sum up to {sum(causes.values())}, not {said['npu_active_cycles']}")

    def run(self):
        if self.options.streams:
            return self.stream()
        if self.options.least:
            name, front, fits = self.ask()
            return self.tighter(front, None) if fits else self.confirm(name, front, {}, {}, None)
        self.npu(self.device if self.device in NPUS else NPUS[self.number % len(NPUS)])
        self.dse("optimise-memory", self.network, "-o", "planned.tflite")
        if self.device in NPUS:
            return None
        simulations = self.random.randint(3, 12)
        name, front, fits = self.ask(simulations=simulations)
        self.dse("memory", self.network, "--device", self.device, allowed=(0,) if fits else (0, 4))
        if not fits:
            self.figures.count("whole device refused")
            return self.confirm(name, front, {}, {}, simulations)
        self.package(name)
        if self.random.random() < 0.25:
            knee = json.loads(self.dse("explain", name, "--point", "knee", "--json")[1])
            self.trace(knee, name)
            self.roofline(knee)
        if self.random.random() < 0.25:
            _, out, _ = self.dse("simulate", "-n", self.network, "--device", self.device, "--stdin", "--verify", stdin="{}\n")
            if '"error"' in out or not out.strip():
                raise Failure(f"dse simulate --stdin answered {{}} with {out}")
        if self.random.random() < 0.5:
            self.tighter(front, simulations)
        return None


def main():
    parser = matrix.parser_of(__doc__)
    parser.add_argument("--writer", required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--least", action="store_true")
    which.add_argument("--streams", action="store_true")
    options = parser.parse_args()
    scratch, compiler = matrix.begin(options)
    figures, failures = Figures(), []
    count = max(1, options.count * matrix.percent_of("DSE_SLOW") // 100)
    family = ["small"] if options.least else ["streams"] if options.streams else []
    matrix.drawn(options, scratch, count, options.first, *family)
    shipped = sorted({p.stem for p in (ROOT / "configs/devices").rglob("*.yaml")})
    kinds = [of[turn % len(of)] for turn in range(4) for of in LEAST.values()]
    devices = options.devices or (kinds if options.least else MICROCONTROLLERS if options.streams else [*shipped, *NPUS])
    numbers = range(options.first, options.first + count)
    cells = [(n, d) for n in numbers for d in (devices if options.streams else [devices[n * 7 % len(devices)]])]

    def work(cell):
        number, device = cell
        network = scratch / f"networks/drawn{number:04}.tflite"
        folder = scratch / f"{number:04}-{pathlib.Path(device).stem}"
        shutil.rmtree(folder, ignore_errors=True)
        said = "right"
        try:
            Draw(options, compiler, figures, number, network, device, folder).run()
            shutil.rmtree(folder)
        except Failure as failure:
            said = "FAILED: " + str(failure).split("\n")[0]
            failures.append(f"=== {network.name} on {device}\n{failure}")
        print(f"{network.name} on {device}: {said}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, cells))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = failures + [f"{n} {what}" for what, n in sorted(figures.of.items())]
    lines.append(matrix.seconds())
    lines.append(f"{len(cells)} draws: {len(cells) - len(failures)} right, {len(failures)} failed; {used.ru_utime + used.ru_stime:.0f} s of CPU")
    matrix.end(options, scratch, lines)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
