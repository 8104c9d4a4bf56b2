"""order_docs.py DSE ROOT [--write]: runs the examples of docs/memory/order.md and compares what they print (--write: puts it there)."""
import json
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/memory/order.md")
with open(page, encoding="utf-8") as file:
    text = file.read()
(graph,) = re.findall(r"^```dag\n(.*?)^```$", text, re.S | re.M)
(block,) = re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M)
commands = re.findall(r"^\$ (dse .*)$", block, re.M)
assert len(commands) == 2, commands
said = ""
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "branches.dag"), "w", encoding="utf-8") as file:
        file.write(graph)
    for command in commands:
        run = subprocess.run([dse, *command.split()[1:]], cwd=folder, check=True, capture_output=True, text=True)
        assert run.stderr == "", run.stderr
        said += "$ " + command + "\n" + run.stdout
        if "--json" in command:
            keys = json.loads(run.stdout).keys()
            for key in keys:
                assert f"`{key}`" in text, f"docs/memory/order.md does not describe {key}"
if "--write" in sys.argv:
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace(block, said))
elif said != block:
    sys.exit(f"printed\n{said}\nnot\n{block}")
