"""branches_docs.py DSE ROOT [--write]: runs the examples of docs/memory/branches.md and compares what they print (--write: puts it there)."""
import json
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
page = os.path.join(root, "docs/memory/branches.md")
with open(page, encoding="utf-8") as file:
    text = file.read()


def run(arguments, folder):
    said = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True)
    if said.returncode != 0 or said.stderr:
        sys.exit(f"dse {' '.join(arguments)}\nended with {said.returncode}\n{said.stderr}")
    return said.stdout


ran = 0
with tempfile.TemporaryDirectory() as folder:
    for graph, name in re.findall(r"^```\n(# graph (\S+)\n.*?)^```$", text, re.S | re.M):
        with open(os.path.join(folder, name.replace("-", "_") + ".dag"), "w", encoding="utf-8") as file:
            file.write(graph)
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.S | re.M):
        command, _, expected = block.partition("\n")
        assert command.startswith("$ dse "), command
        arguments = command.split()[2:]
        printed = run(arguments, folder)
        if "--write" in sys.argv:
            text = text.replace("```console\n" + block, "```console\n" + command + "\n" + printed)
        elif printed != expected:
            sys.exit(f"{command}\nprinted\n{printed}\nnot\n{expected}")
        answer = json.loads(run([*arguments, "--json"], folder))
        for part in (answer, answer["candidates"][0], answer["steps"][0]):
            for key in part:
                assert f"`{key}`" in text, f"docs/memory/branches.md does not describe {key}"
        ran += 1
assert ran == 5, "docs/memory/branches.md shows other commands"
if "--write" in sys.argv:
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
