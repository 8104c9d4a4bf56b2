"""diff_docs.py DSE ROOT [--write]: runs the example of docs/run/diff.md and compares what it prints (--write: puts it there)."""
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/run/diff.md")
text = open(page, encoding="utf-8").read()
networks = re.findall(r"```yaml\n(.*?)```", text, re.S)
blocks = re.findall(r"```console\n(.*?)```", text, re.S)
ran = 0
with tempfile.TemporaryDirectory() as folder:
    for name, network in zip(("tiny.yaml", "other.yaml"), networks, strict=True):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(network)
    for block in blocks:
        new = ""
        for part in re.findall(r"\$ [^\n]*\n(?:(?!\$ )[^\n]*\n)*", block):
            command, _, expected = part.partition("\n")
            arguments = command[2:].split()
            assert arguments[0] == "dse", command
            run = subprocess.run([dse, *arguments[1:]], cwd=folder, capture_output=True, text=True)
            # Counts and times of a run are its own matter; what it found is compared below.
            said = "" if arguments[1] == "run" else run.stdout + run.stderr
            status = 6 if "--fail-over" in arguments else 0
            if run.returncode != status:
                sys.exit(f"{command}\nended with {run.returncode}, not {status}\n{run.stdout}{run.stderr}")
            if said != expected and "--write" not in sys.argv:
                sys.exit(f"{command}\nprinted\n{said}\nnot\n{expected}")
            new += command + "\n" + said
            ran += 1
        text = text.replace(block, new)
assert ran >= 3, "docs/run/diff.md shows no commands"
if "--write" in sys.argv:
    open(page, "w", encoding="utf-8").write(text)
