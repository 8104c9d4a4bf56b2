"""in_place_docs.py DSE ROOT [--write]: runs the example of docs/memory/in_place.md and compares what it prints (--write: puts it there)."""
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/memory/in_place.md")
text = open(page, encoding="utf-8").read()
network, plan = re.findall(r"```yaml\n(.*?)```", text, re.S)
block = re.search(r"```console\n(.*?)```", text, re.S).group(1)
kept = ("KiB on chip", "sum: ", "  sram  ", "equal the interpreter's")  # of what is printed
new, arenas = "", []
with tempfile.TemporaryDirectory() as folder:
    for name, content in (("bottleneck", network), ("plan", plan), ("without", plan.replace("in_place: yes", "in_place: no"))):
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(content)
    for command in re.findall(r"\$ ([^\n]*)\n", block):
        arguments = command.split()
        assert arguments[0] == "dse", command
        run = subprocess.run([dse, *arguments[1:]], cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{command}\nended with {run.returncode}\n{run.stdout}{run.stderr}")
        lines = [line for line in run.stdout.splitlines() if any(k in line for k in kept)]
        arenas.append(int(re.search(r"sram +([0-9,]+)", run.stdout).group(1).replace(",", "")))
        new += f"$ {command}\n...\n" + "\n".join(lines) + "\n"
assert arenas == [36864, 49152], arenas
if new != block:
    if "--write" not in sys.argv:
        sys.exit(f"printed\n{new}\nnot\n{block}")
    open(page, "w", encoding="utf-8").write(text.replace(block, new))
