"""branches_docs.py DSE ROOT [--write]: runs the example of docs/branches.md and compares what it prints (--write: puts it there)."""
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/branches.md")
text = open(page, encoding="utf-8").read()
graph = re.search(r"```\n(# graph .*?)```", text, re.S).group(1)
ran = 0
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "two_branches.dag"), "w", encoding="utf-8") as file:
        file.write(graph)
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        command, _, expected = block.partition("\n")
        arguments = command[2:].split()
        assert arguments[0] == "dse", command
        run = subprocess.run([dse, *arguments[1:]], cwd=folder, capture_output=True, text=True)
        if run.returncode != 0 or run.stderr:
            sys.exit(f"{command}\nended with {run.returncode}\n{run.stderr}")
        if "--write" in sys.argv:
            text = text.replace("```console\n" + block, "```console\n" + command + "\n" + run.stdout)
        elif run.stdout != expected:
            sys.exit(f"{command}\nprinted\n{run.stdout}\nnot\n{expected}")
        ran += 1
assert ran >= 2, "docs/branches.md shows no commands"
if "--write" in sys.argv:
    open(page, "w", encoding="utf-8").write(text)
