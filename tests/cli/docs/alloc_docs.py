"""alloc_docs.py DSE ROOT [--write]: runs the example of docs/memory/alloc.md and compares what it prints (--write: puts it there)."""
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/memory/alloc.md")
text = open(page, encoding="utf-8").read()
buffers = re.search(r"```csv\n(.*?)```", text, re.S).group(1)
blocks = re.findall(r"```console\n(.*?)```", text, re.S)
ran = 0
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "buffers.csv"), "w", encoding="utf-8") as file:
        file.write(buffers)
    for block in blocks:
        new = ""
        for part in re.findall(r"\$ [^\n]*\n(?:(?!\$ )[^\n]*\n)*", block):
            command, _, expected = part.partition("\n")
            arguments = command[2:].split()
            assert arguments[0] == "dse", command
            run = subprocess.run([dse, *arguments[1:]], cwd=folder, capture_output=True, text=True)
            said = run.stdout + run.stderr
            status = 4 if "--capacity" in arguments else 0
            if run.returncode != status:
                sys.exit(f"{command}\nended with {run.returncode}, not {status}\n{run.stdout}{run.stderr}")
            if said != expected and "--write" not in sys.argv:
                sys.exit(f"{command}\nprinted\n{said}\nnot\n{expected}")
            new += command + "\n" + said
            ran += 1
        text = text.replace(block, new)
assert ran >= 3, "docs/memory/alloc.md shows no commands"
if "--write" in sys.argv:
    open(page, "w", encoding="utf-8").write(text)
