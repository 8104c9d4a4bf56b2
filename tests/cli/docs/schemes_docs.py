"""schemes_docs.py DSE ROOT: runs the example of docs/how/schemes.md and compares what it prints with the page."""
import os
import re
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:3]
text = open(os.path.join(root, "docs/how/schemes.md"), encoding="utf-8").read()
text = text[text.index("## An example to run") :]
network, sweep = re.findall(r"```yaml\n(.*?)```", text, re.S)[:2]
shown = re.search(r"```\n(\$ .*?)```", text, re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    for name, content in (("rows.yaml", network), ("rows-sweep.yaml", sweep)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
    ran = 0
    for part in re.findall(r"\$ [^\n]*\n(?:(?!\$ )[^\n]*\n)*", shown):
        command, _, expected = part.partition("\n")
        command = command[2:].replace("build/release/cli/dse", dse)
        run = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{command}\nended with {run.returncode}\n{run.stdout}{run.stderr}")
        expected, cut, _ = expected.partition("...\n")
        said = run.stdout if not cut else run.stdout[: len(expected)]
        if expected and said != expected:
            sys.exit(f"{command}\nprinted\n{said}\nnot\n{expected}")
        ran += 1
    assert ran == 3, "docs/how/schemes.md shows other commands"
