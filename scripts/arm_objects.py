"""What scripts/stack_table and scripts/flash_table share: the sources of a package, compiled for the cores of `dse export --check`, and tables
that are generated from what the compiler makes of them."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["deploy/runtime", "deploy/runtime/ports", "deploy/runtime/libraries", "models/nn/kernels", "program"]
COMMON = ["-std=c99", "-O2", "-ffunction-sections", "-fdata-sections", "-fno-builtin-memset"]  # as check.cpp has them


def cores():
    """Names and flags, as check.cpp has them."""
    text = (ROOT / "deploy/emulate/check.cpp").read_text()
    found = re.findall(r'\{"(cortex-[\w]+)", \{([^}]*)\}', text)
    return {name: re.findall(r'"([^"]+)"', flags) for name, flags in found}


def sources():
    kernels = [f for f in sorted((ROOT / "models/nn/kernels").rglob("*.c")) if f.name != "dse_kernel_table.c" and "npu" not in f.parts]
    runtime = sorted((ROOT / "deploy/runtime").glob("*.c")) + [ROOT / "deploy/runtime/ports/dse_port_eager.c"]
    return kernels + runtime + sorted((ROOT / "deploy/runtime/libraries").glob("*.c"))


def compile_all(files, flags, folder):
    """Objects of the files, in their order, made in the folder."""
    includes = [f"-I{ROOT / f}" for f in FOLDERS] + ["-isystem", ROOT / "tests/deploy/cmsis_nn/Include"]
    out = []
    for n, file in enumerate(files):
        out.append(pathlib.Path(folder) / f"{n}.o")
        subprocess.run(["arm-none-eabi-gcc", *flags, *COMMON, *includes, "-c", file, "-o", out[-1]], check=True)
    return out


def kernels():
    text = (ROOT / "models/nn/kernels/dse_kernel_list.h").read_text()
    names = set(re.findall(r"ROW\(DSE_\w+, (\w+)\)", text)) | {"dse_compensated", "dse_in_batches"}
    for f in (ROOT / "deploy/runtime/libraries").glob("*.c"):
        names |= set(re.findall(r"^void (dse_cmsis_\w+)\(const dse_call", f.read_text(), re.M))
    return sorted(names)


def compiler():
    return subprocess.run(["arm-none-eabi-gcc", "--version"], check=True, text=True, capture_output=True).stdout.splitlines()[0]


def write_or_check(file, text):
    """What a script does with its table: writes it, or with --check compares. The exit code."""
    if sys.argv[1:] != ["--check"]:
        file.write_text(text)
        return 0
    stored, version = file.read_text(), compiler()
    if f'"{version}"' not in stored:
        print(f"the table was made by another compiler than {version}")
        return 0
    if text != stored:
        print(text)
    return int(text != stored)
