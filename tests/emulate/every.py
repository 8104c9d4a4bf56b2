#!/usr/bin/env python3
"""Plans as firmware: searches networks on a device, exports the smallest, the fastest and the knee in both styles, compiles them for this host
and for emulated Cortex-M4, M33 and M55, and compares the bytes that they compute with the simulator's.

  every.py --dse build/release/cli/dse            every network, plan, style and target: some minutes
  every.py --dse build/release/cli/dse --some NETWORK ...     one plan of each: what the test suite runs

Prints a line per package: program bytes, flash and RAM as arm-none-eabi-size has them, stack. Exit code 1 if anything differs: outputs, the
sum of the arenas on chip from what the report promised, program bytes above 8 KiB (streams of an NPU apart), figures in README.md from those of the image."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Block-circulant ones as integers in either domain: what dse quantize is given, and the device, since arrays cannot transform.
CIRCULANT = {"circulant-int8": [], "circulant-q15": ["--domain", "frequency", "--scheme", "q-format", "--bits", "16"]}
# With a device whose NPU is emulated; one of them has operators that its CPU runs.
NPU = {"ds-cnn-npu": ("ds-cnn", "corstone-u55"), "mobilenet-npu": ("mobilenet-v1-0.25-96", "alif-ensemble-he")}
# By the adapters of a kernel library, with what stands in for it; --cmsis-nn FOLDER takes the library itself.
CMSIS = {"ds-cnn-cmsis": ("ds-cnn", "stm32h743"), "resnet8-cmsis": ("resnet8", "stm32l4r5")}
NETWORKS = ["resnet8", "ds-cnn", "mobilenet-v1-0.25-96", "autoencoder", "person_detect", *CIRCULANT, *NPU, *CMSIS]
TARGETS = ["host", "cortex-m4", "cortex-m33", "cortex-m55"]
STYLES = ["interpreted", "static"]
POINTS = ["smallest", "knee", "fastest"]
MOST_PROGRAM = 8192  # bytes


def dse(program, *words):
    said = subprocess.run([program, *words], text=True, capture_output=True)
    if said.returncode:
        raise SystemExit(f"$ dse {' '.join(words)}\nexit {said.returncode}\n{said.stdout}{said.stderr}")
    return said.stdout


def promised(run, plan):
    """On-chip bytes of a point, as results.json has them."""
    fronts = json.loads((run / "results.json").read_text())["fronts"]
    for front in fronts:
        for point in [*front["points"], *front["marked"]]:
            if point["id"] == plan:
                return point["memory_bytes"]
    raise SystemExit(f"{run}: no point {plan}")


def check(package, run):
    """What is wrong with a package that has run everywhere, and its line of the table."""
    manifest = json.loads((package / "manifest.json").read_text())
    readme = (package / "README.md").read_text()
    point = manifest["points"][0]
    wrong = []
    arenas = sum(a["bytes"] for a in point["arenas"] if a["on_chip"])
    if arenas != promised(run, point["plan"]):
        wrong.append(f"arenas take {arenas} bytes, promised are {promised(run, point['plan'])}")
    if point["program_bytes"] > MOST_PROGRAM and not point["ram"]["npu_emulation"]:
        wrong.append(f"the program takes {point['program_bytes']} bytes")
    for c in manifest["checked"]:
        if c["text"] and f"| {c['text']} | {c['data']} | {c['bss']} | {c['text'] + c['data']} | {c['data'] + c['bss']} | {c['stack']} |" not in readme:
            wrong.append(f"README.md has other figures of {c['target']}")
        if c["target"] != "host" and not 1000 < c["instructions"] < 2**32:
            wrong.append(f"{c['target']}: {c['instructions']} instructions")
        if c["target"] != "host" and c["bss"] < sum(a["bytes"] for a in point["ram"]["arenas"]):
            wrong.append(f"{c['target']}: .bss holds less than the arenas")
    m4 = next((c for c in manifest["checked"] if c["target"] == "cortex-m4"), None)
    figures = f"{m4['text'] + m4['data']:>8} {m4['data'] + m4['bss']:>8} {m4['stack']:>6} {m4['instructions']:>11}" if m4 else ""
    return wrong, f"{point['program_bytes']:>6} {arenas:>8} {figures}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--dse", required=True)
    options.add_argument("--device", default="gap8-class")
    options.add_argument("--some", nargs="+", choices=NETWORKS, default=[], help="one plan of each of these")
    options.add_argument("--cmsis-nn", default=str(pathlib.Path(__file__).resolve().parents[1] / "deploy/cmsis_nn"))
    o = options.parse_args()
    program = str(pathlib.Path(o.dse).resolve())
    shared = pathlib.Path(os.environ.get("DSE_SHARED", "../shared")) / "models/tflite/tflm_person_detect_mbv1_0.25_96.tflite"
    networks = o.some or NETWORKS
    failed = 0
    print(f"{'network':<22} {'plan':<9} {'style':<12} {'program':>6} {'on chip':>8} {'flash':>8} {'RAM':>8} {'stack':>6} {'instructions':>11}  (M4)")
    with tempfile.TemporaryDirectory() as folder:
        for network in networks:
            if network == "person_detect" and not shared.exists():
                print(f"{network:<22} left out: {shared} is not there")
                continue
            run = pathlib.Path(folder) / network
            file, device = str(shared) if network == "person_detect" else network, o.device
            if network in NPU:
                file, device = NPU[network]
            if network in CMSIS:
                file, device = CMSIS[network]
            if network in CIRCULANT:
                real, file, device = f"{run}-float.dsenet", f"{run}.dsenet", "stm32l4r5"
                dse(program, "compress", "circulant-arch1", "-o", real)
                dse(program, "quantize", real, *CIRCULANT[network], "-o", file)
            dse(program, "run", file, "--device", device, "-o", str(run))
            for point in ["knee"] if o.some else POINTS:
                for style in STYLES:
                    package = pathlib.Path(folder) / f"{network}-{point}-{style}"
                    words = ["export", str(run), "--point", point, "--style", style, "-o", str(package), "--check", *TARGETS]
                    if network in CMSIS:
                        words += ["--kernels", "cmsis-nn", "--kernel-library", o.cmsis_nn]
                    said = subprocess.run([program, *words], text=True, capture_output=True)
                    wrong, line = ([said.stdout + said.stderr], "") if said.returncode else check(package, run)
                    print(f"{network:<22} {point:<9} {style:<12} {line}{'  FAILED: ' + '; '.join(wrong) if wrong else ''}", flush=True)
                    failed += bool(wrong)
    print(f"{failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
