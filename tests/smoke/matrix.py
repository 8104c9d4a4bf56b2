#!/usr/bin/env python3
"""Every network on every device through every command, as a user would type them.

matrix.py --dse BUILD/cli/dse [--writer BUILD/tests/smoke/smoke_write_networks] [--networks FILE_OR_FOLDER ...]
          [--devices NAME_OR_FILE ...] [--part some|rest] [--simulations N] [--jobs N] [--keep FOLDER]

Without --networks: the shipped ones but the large, those in $DSE_SHARED/models/tflite, the files that the writer makes (quantised ONNX,
a streaming network with variables), and ds-cnn with dynamic rescaling.
Without --devices: every network on a device of each kind (KINDS), and on each other shipped device one network, in turn. --part some:
of the kinds two for each network, in turn, so that each kind has several networks, and all other devices, and every network on every
Ethos-U (NPUS) and on a device that has one, or DSE_SHARE per cent of all this; --part rest: what that leaves out,
or DSE_SLOW per cent of it.
One row per network, one column per device; a cell says how many seconds it took, `no fit` where dse proved that the network
does not fit the device (exit code 4, every command agreeing), or the command that failed. Exit code 1 when any failed."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One shipped device of each kind: a cluster with DMA, cores by rates, by counted loops, by counted vector loops, a camera, a DSP,
# an array by a table of shapes.
KINDS = ("gap8-class", "cortex-m7-class", "stm32l4r5", "apollo510", "cortex-m7-camera", "dsp-l1-l2-l3", "os-array-16x16")
# What a healthy program never says.
NEVER = re.compile(r"defect of dse|broken invariant|InvariantError|NOT equal|AddressSanitizer|terminate called")
CFLAGS = ["-std=c99", "-O1", "-fno-pic", "-Wall", "-Wextra", "-Werror", "-pedantic"]
# What a package brings to be tried out, and a firmware leaves out.
TRIAL = ("main.c", "dse_port_random.c", "dse_port_lazy.c", "dse_port_dma.c", "dse_selftest.c", "dse_test_vector.c")
# The least firmware around a package: what its README counts as its static objects.
FIRMWARE = """#include <string.h>
#include "dse.h"
static dse_runtime rt;
static dse_port_eager eager;
int infer(const uint8_t* image);
int infer(const uint8_t* image) {
  dse_port port = dse_make_port_eager(&eager);
  int status = dse_init(&rt, dse_data, DSE_DATA_BYTES, dse_arenas, DSE_ARENAS);
  if (status == DSE_OK) DSE_ATTACH(&rt);
  if (status == DSE_OK) memcpy(dse_input(&rt, 0), image, dse_input_info(&rt, 0).size);
  return status != DSE_OK ? status : dse_run(&rt, &port);
}
"""


# Device with an NPU: every network on it.
WITH_NPU = "corstone-u55"
NPUS = ["ethos-u55-32", "ethos-u55-64", "ethos-u55-128", "ethos-u55-256", "ethos-u65-256", "ethos-u65-512", "ethos-u85-128", "ethos-u85-256",
        "ethos-u85-512", "ethos-u85-1024", "ethos-u85-2048"]
# Shipped, and left out unless named: a few simulations neither find a plan for them nor prove that there is none.
LARGE = {"mobilenet-v2-1.0-224"}
# Whose searches take longest, and on which kinds a minute or two: those cells are in the rest, and on devices that have one network only it
# is another.
LONG = {"coral_mbv1_0.25_128_uint8", "mobilenet-v2-0.35-64", "mobilenet-v1-0.25-96"}
DEAR = {(network, device) for network in LONG for device in ("os-array-16x16", "apollo510")}

SPENT = {}  # seconds by command of dse


# What stands in for the library that packages may call: tests/deploy/cmsis_nn.
CMSIS_NN = pathlib.Path(__file__).resolve().parents[1] / "deploy/cmsis_nn"


class Failure(Exception):
    """A command, and what is wrong with its answer."""


class Compiler:
    """Compiles C sources; what stands in many packages, the kernels and the runtime, once."""

    def __init__(self, folder):
        self.folder = folder
        self.locks = {}
        self.guard = threading.Lock()

    @staticmethod
    def text_of(source, seen):
        """The file and what it includes from its package."""
        seen.add(source.name)
        text = source.read_bytes()
        for name in re.findall(rb'^#include "([^"]+)"', text, re.M):
            if name.decode() not in seen and (source.parent / name.decode()).exists():  # not those of a kernel library
                text += Compiler.text_of(source.parent / name.decode(), seen)
        return text

    def object_of(self, package, source):
        key = hashlib.sha256(source.name.encode() + self.text_of(source, set())).hexdigest()
        made = self.folder / f"{key}.o"
        with self.guard:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            if not made.exists():
                said = subprocess.run(["cc", *CFLAGS, "-isystem", str(CMSIS_NN / "Include"), "-c", source.name, "-o", made], cwd=package, text=True, capture_output=True)
                if said.returncode:
                    raise Failure(f"cc {source.name}: {said.stderr[:2000]}")
        return made


def static_bytes(objects):
    """Bytes of the variables in .data and .bss of these objects, without what aligns them."""
    said = subprocess.run(["nm", "-P", "--defined-only", *objects], text=True, capture_output=True, check=True).stdout
    return sum(int(m.group(1), 16) for m in re.finditer(r"^\S+ [bBdDcC] \S+ (\S+)$", said, re.M))


class Cell:
    """One network on one device."""

    def __init__(self, options, compiler, network, device, folder):
        self.options, self.compiler = options, compiler
        self.network, self.device, self.folder = str(network), str(device), folder
        folder.mkdir()

    def dse(self, *arguments, stdin="", allowed=(0,)):
        command = "dse " + " ".join(arguments)
        began = time.monotonic()
        try:
            said = subprocess.run([self.options.dse, *arguments], cwd=self.folder, input=stdin, text=True, capture_output=True,
                                  timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"{command}: no answer after {self.options.timeout} s") from None
        with self.compiler.guard:
            SPENT[arguments[0]] = SPENT.get(arguments[0], 0) + time.monotonic() - began
        text = said.stdout + said.stderr
        if said.returncode not in allowed:
            raise Failure(f"{command}: exit {said.returncode}\n{text[-3000:]}")
        if NEVER.search(text):
            raise Failure(f"{command}: said\n{text[-3000:]}")
        return said.returncode, said.stdout, said.stderr

    def fits(self):
        """Runs the search. False when there is no plan, with words that say why."""
        sweep = self.folder / "sweep.yaml"
        sweep.write_text(f"networks: [{self.network}]\ndevices: [{self.device}]\n"
                         f"explore:\n  budget: {{simulations: {self.options.simulations}}}\n")
        code, out, err = self.dse("run", "sweep.yaml", "-o", "out", "--jobs", "1", allowed=(0, 4))
        # The summary says why; what would do is on standard error, where something would.
        if code == 4 and not re.search(r"short|least|needs?|cannot make Fourier transforms", out + err):
            raise Failure(f"dse run: exit 4 without a reason\n{out}{err}")
        return code == 0

    def package(self, point):
        name = f"package-{point}"
        self.dse("export", "out", "--point", point, "-o", name)
        self.runs(self.folder / name)
        self.dse("run", "--from-package", name)
        manifest = json.loads((self.folder / name / "manifest.json").read_text())
        if manifest["kernels"]["timed_as"].startswith("cmsis-nn") and not manifest["points"][0]["ram"]["npu_emulation"]:
            self.dse("export", "out", "--point", point, "-o", f"{name}-cmsis", "--kernels", "cmsis-nn")
            self.runs(self.folder / f"{name}-cmsis", sorted(CMSIS_NN.glob("Source/*/*.c")))
        self.dse("export", "out", "--point", point, "-o", f"{name}-static", "--style", "static", "--prefix", "net")
        self.runs(self.folder / f"{name}-static")

    def runs(self, package, library=()):
        """A package, compiled, gives the simulated bytes; an interpreted one takes the memory that it says. `library`: sources of kernels."""
        name = package.name
        kernels = [self.compiler.object_of(s.parent, s) for s in library]
        objects = {s.name: self.compiler.object_of(package, s) for s in sorted(package.glob("*.c"))}
        linked = package / "selftest"
        said = subprocess.run(["cc", "-no-pie", *objects.values(), *kernels, "-o", linked], text=True, capture_output=True)
        if said.returncode:
            raise Failure(f"linking {name}: {said.stderr[:2000]}")
        said = subprocess.run([linked], text=True, capture_output=True, timeout=self.options.timeout)
        if said.returncode:
            raise Failure(f"{name}/selftest: exit {said.returncode}\n{said.stdout}{said.stderr}")
        if (package / "dse.h").exists():
            self.promise(package, [o for n, o in objects.items() if n not in TRIAL])

    def trace(self, point, out="out"):
        """Tracks of a trace are as long as the record of this point, the knee, says."""
        self.dse("trace", out, "--point", "knee", "-o", "trace.json")
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        found = collections.Counter()
        for e in events:
            if e["ph"] == "X":
                found[names[e["tid"]]] += e["args"]["cycles"]
        promised = {e["queue"]: e["busy_cycles"] for e in point["engines"]}
        promised |= {"layers": point["latency_cycles"], "account": point["latency_cycles"]}
        wrong = [f"{track} {found[track]}, not {cycles}" for track, cycles in promised.items() if found[track] != cycles]
        if wrong:
            raise Failure(f"dse trace: cycles on {', '.join(wrong)}")

    def roofline(self, point):
        """No layer is above its roof, no roof above its peak."""
        rows = point["roofline"]
        wrong = [r["layer"] for r in rows if not r["arithmetic_cycles"] <= r["roof_cycles"] <= r["cycles"]]
        wrong += [r["layer"] for r in rows if r["macs"] and not 0 < r["of_roof"] <= 1]
        if wrong:
            raise Failure(f"dse explain: above the roof are {', '.join(wrong)}")
        if sum(r["cycles"] for r in rows) != point["latency_cycles"]:
            raise Failure("dse explain: cycles of the roofline do not add up")

    def promise(self, package, objects):
        """What a linker puts into RAM is what the package says, to the byte."""
        firmware = package / "firmware.c"
        firmware.write_text(FIRMWARE)
        found = static_bytes([*objects, self.compiler.object_of(package, firmware)])
        promised = json.loads((package / "manifest.json").read_text())["points"][0]["ram"]["total"]
        if found != promised:
            raise Failure(f"{package.name}: .data and .bss take {found} bytes, promised are {promised}")
        if f".bss: {promised} bytes" not in (package / "README.md").read_text():
            raise Failure(f"{package.name}/README.md does not promise {promised} bytes of .bss")

    def run(self):
        device = ("--device", self.device)
        if not self.fits():
            self.dse("memory", self.network, *device, allowed=(0, 4))
            self.dse("simulate", "-n", self.network, *device, "--stdin", stdin="{}\n", allowed=(0, 4))
            return "no fit"
        knee = json.loads(self.dse("explain", "out", "--point", "knee", "--json")[1])
        self.trace(knee)
        self.roofline(knee)
        for point in ("smallest", "fastest"):
            self.package(point)
            self.dse("check", f"package-{point}", "--network", self.network, *device)
        self.dse("memory", self.network, *device)
        if self.network.endswith(".tflite"):
            self.dse("optimise-memory", self.network, "-o", "planned.tflite")
        _, out, _ = self.dse("simulate", "-n", self.network, *device, "--stdin", "--verify", stdin="{}\n")
        if '"error"' in out or not out.strip():
            raise Failure(f"dse simulate --stdin answered {{}} with {out}")
        _, out, _ = self.dse("diff", "out", "out")
        return ""


class NpuCell(Cell):
    """A network on an Ethos-U: its bytes, and figures that sum up."""

    def run(self):
        mode = "Dedicated_Sram" if "u65" in self.device else "Sram_Only" if "-32" in self.device else "Shared_Sram"
        npu = ("npu", self.network, "--config", self.device, "--memory-mode", mode)
        self.dse(*npu, "--check")
        said = json.loads(self.dse(*npu, "--optimise", "size", "--json")[1])
        for block, causes in said["time"].items():
            if sum(causes.values()) != said["npu_active_cycles"]:
                raise Failure(f"dse npu: the times of {block} sum up to {sum(causes.values())}, not {said['npu_active_cycles']}")
        if said["operators"]:
            self.dse(*npu, "--disassemble")
        return ""


def percent_of(variable):
    return min(100, max(1, int(os.environ.get(variable, "100"))))


def share(cells, variable):
    """So many per cent of the cells: one of each network and of each device at least, the others evenly spread."""
    wanted, networks, devices, out, rest = len(cells) * percent_of(variable) // 100, set(), set(), set(), []
    for i, (network, device) in enumerate(cells):
        if network not in networks or device not in devices:
            out.add(i)
            networks.add(network)
            devices.add(device)
        else:
            rest.append(i)
    more = max(0, wanted - len(out))
    out.update(rest[k * len(rest) // more] for k in range(more))
    return [cells[i] for i in sorted(out)]


def networks_of(options, scratch):
    if options.networks:
        for given in map(pathlib.Path, options.networks):
            yield from sorted(p for p in given.iterdir() if p.suffix in (".tflite", ".onnx", ".yaml", ".dsenet")) \
                if given.is_dir() else [given.resolve() if given.exists() else given]
        return
    made = scratch / "made"
    made.mkdir()
    yield from sorted(p for p in (ROOT / "configs/networks").glob("*.yaml") if p.stem not in LARGE)
    yield from sorted((pathlib.Path(os.environ.get("DSE_SHARED", ROOT.parent / "shared")) / "models/tflite").glob("*.tflite"))
    if options.writer:
        subprocess.run([options.writer, made], check=True)
        yield from sorted(made.iterdir())
    factors = scratch / "ds-cnn-dynamic.dsenet"
    subprocess.run([options.dse, "quantize", "ds-cnn", "--scheme", "q-format", "--rescaling", "dynamic", "-o", factors],
                   check=True, stdout=subprocess.DEVNULL)
    yield factors
    real, spectra = scratch / "circulant.dsenet", scratch / "circulant-q15.dsenet"
    for command in (["compress", ROOT / "tests/fuzz/corpus/network/circulant.yaml", "-o", real],
                    ["quantize", real, "--domain", "frequency", "--scheme", "q-format", "--bits", "16", "-o", spectra]):
        subprocess.run([options.dse, *command], check=True, stdout=subprocess.DEVNULL)
    yield spectra


def table(networks, devices, outcome):
    """Lines: a row per network, a column per device."""
    names = [pathlib.Path(n).stem for n in networks]
    columns = [[pathlib.Path(d).stem] + [outcome.get((n, d), "-") for n in networks] for d in devices]
    rows = zip(["network", *names], *columns)
    widths = [max(map(len, c)) for c in ([*names, "network"], *columns)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows]


def parser_of(description):
    """What all scripts are told."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dse", required=True, type=os.path.abspath)
    parser.add_argument("--devices", nargs="*", default=[])
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="folder that is made and stays")
    parser.add_argument("--table", help="file for what failed and the figures, beside standard output")
    return parser


def begin(options):
    """The folder to work in, and a compiler that keeps its objects there."""
    scratch = pathlib.Path(options.keep or tempfile.mkdtemp()).resolve()
    (scratch / "objects").mkdir(parents=True, exist_ok=True)
    return scratch, Compiler(scratch / "objects")


def drawn(options, scratch, count, first, *family):
    """So many networks of the writer, from number `first` on."""
    folder = scratch / "networks"
    folder.mkdir(exist_ok=True)
    if count > 0:
        subprocess.run([options.writer, folder, str(count), str(first), *family], check=True)
    return [folder / f"drawn{n:04}.tflite" for n in range(first, first + count)]


def end(options, scratch, lines):
    if not options.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    print("\n" + "\n".join(lines))
    if options.table:
        pathlib.Path(options.table).write_text("\n".join(lines) + "\n")


def seconds():
    """A line: what commands took."""
    return "seconds in " + ", ".join(f"{name} {s:.0f}" for name, s in sorted(SPENT.items(), key=lambda x: -x[1]))


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--writer")
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--part", choices=["some", "rest"])
    parser.add_argument("--simulations", type=int, default=20)
    options = parser.parse_args()
    scratch, compiler = begin(options)
    networks = list(networks_of(options, scratch))
    outcome, failures = {}, []

    def work(item):
        number, (network, device) = item
        began = time.monotonic()
        folder = scratch / f"{number:03}-{pathlib.Path(network).stem}-{pathlib.Path(device).stem}"
        try:
            kind = NpuCell if device in NPUS else Cell
            said = kind(options, compiler, network, device, folder).run() or f"{time.monotonic() - began:.1f} s"
        except Failure as failure:
            command = str(failure).split(":")[0].split(" -")[0]
            said = "FAILED: " + " ".join(command.split()[:2])
            failures.append(f"=== {pathlib.Path(network).name} on {device}\n{failure}")
        outcome[network, device] = said
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{pathlib.Path(network).name} on {device}: {said}", flush=True)

    def in_part(number, device):
        some = not options.devices and device in (KINDS[number % len(KINDS)], KINDS[(number + 3) % len(KINDS)])
        some = some and (pathlib.Path(networks[number]).stem, device) not in DEAR
        return not options.part or some == (options.part == "some")

    devices = options.devices or list(KINDS) + sorted({p.stem for p in (ROOT / "configs/devices").rglob("*.yaml")} - set(KINDS))
    whole = options.devices or KINDS
    cells = [(n, d) for number, n in enumerate(networks) for d in devices if d in whole and in_part(number, d)]
    if options.part == "rest":  # as slow tests do: of so many per cent of the cells, evenly
        percent = percent_of("DSE_SLOW")
        cells = [c for i, c in enumerate(cells) if i * percent // 100 != (i - 1) * percent // 100]
    else:
        turns = [n for n in networks if pathlib.Path(n).stem not in LONG] or networks
        for number, device in enumerate(d for d in devices if d not in whole):
            cells.append((turns[number % len(turns)], device))
        if not options.devices:
            devices += NPUS
            cells += [(n, d) for n in networks for d in (WITH_NPU, *NPUS) if (n, d) not in cells]
        if options.part == "some":
            cells = share(cells, "DSE_SHARE")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, enumerate(cells)))
    lines = failures + table(networks, devices, outcome)
    lines.append(f"{len(networks)} networks x {len(devices)} devices: {len(cells) - len(failures)} cells right, "
                 f"{len(failures)} failed")
    end(options, scratch, [*lines, seconds()])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
