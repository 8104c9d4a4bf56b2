"""energy_docs.py DSE ROOT [--write]: runs the examples of docs/run/energy.md and compares the tables of energy by cause (--write: puts them there)."""
import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/run/energy.md")
with open(page, encoding="utf-8") as file:
    text = file.read()


def run(arguments, folder):
    said = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"dse {' '.join(arguments)}\nended with {said.returncode}\n{said.stdout}{said.stderr}")
    return said.stdout


totals = {}
with tempfile.TemporaryDirectory() as folder:
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
        commands = re.findall(r"^\$ dse (.*)\n", block, re.M)
        printed = [run(shlex.split(c), folder) for c in commands]
        (table,) = re.findall(r"^energy, by cause \(estimate\)\n.*?\n\n", printed[-1], re.S | re.M)
        new = "".join(f"$ dse {c}\n" for c in commands) + table[:-1]
        if "--write" in sys.argv:
            text = text.replace("```console\n" + block, "```console\n" + new)
        elif block != new:
            sys.exit(f"{commands[-1]}\nprinted\n{new}\nnot\n{block}")
        # The table for spreadsheets says the same.
        out = shlex.split(commands[0])[-1]
        with open(os.path.join(folder, out, "energy.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        (total,) = re.findall(r"^  total +([\d,.]+)", table, re.M)
        first = rows[0]["point"]
        assert sum(int(r["energy_fj"]) for r in rows if r["point"] == first) == int(re.sub("[,.]", "", total)), total
        totals[out] = int(re.sub("[,.]", "", total))
    assert totals["leaking"] > totals["frugal"], totals
    compared = run(["diff", "frugal", "leaking", "--point", "1"], folder)
    assert re.search(r"^  latency, cycles +[\d,]+ +[\d,]+ +-", compared, re.M), compared
    assert "buffering: none -> double" in compared
    assert "sram leakage" in compared and "energy by layer and cause" in compared, compared
if "--write" in sys.argv:
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
