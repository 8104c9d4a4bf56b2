#!/usr/bin/env python3
"""The runtime without kernels takes less than 8 KiB of flash on a Cortex-M4: what a firmware links of it, with the eager port, compiled for
size. size_test.py SOURCE_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile

MOST = 8192
FILES = ["dse_decode.c", "dse_exec.c", "dse_init.c", "dse_package.c", "dse_run.c", "dse_runtime.c", "dse_transfer.c", "dse_walk.c",
         "ports/dse_port_eager.c", "../../models/nn/kernels/checks/dse_bounds.c"]
FLAGS = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", "-std=c99", "-Os", "-ffunction-sections"]


def main():
    root = pathlib.Path(sys.argv[1])
    runtime = root / "deploy/runtime"
    left = {f.name for f in runtime.glob("*.c")} - set(FILES)
    assert not left, f"files of the runtime that are not counted: {left}"
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            made = pathlib.Path(folder) / (pathlib.Path(name).stem + ".o")
            subprocess.run(["arm-none-eabi-gcc", *FLAGS, "-I", runtime, "-I", runtime / "ports", "-I", root / "program", "-I",
                            root / "models/nn/kernels", "-c", runtime / name, "-o", made], check=True)
            said = subprocess.run(["arm-none-eabi-size", made], check=True, text=True, capture_output=True).stdout
            text = int(said.splitlines()[1].split()[0])
            print(f"{name:<24} {text:>6}")
            total += text
    print(f"{'sum':<24} {total:>6}, at most {MOST}")
    return total > MOST


if __name__ == "__main__":
    sys.exit(main())
