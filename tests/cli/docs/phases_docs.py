"""phases_docs.py DSE ROOT: runs the commands of docs/memory/phases.md where its files are and compares what they print."""
import os
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:]
lines = [l[4:] for l in open(os.path.join(root, "docs/memory/phases.md"), encoding="utf-8").read().splitlines() if l.startswith("    ")]
files, commands, target = {}, [], None
for line in lines:
    if line.startswith("$ cat "):
        target = files.setdefault(line[6:], [])
    elif line.startswith("$ dse "):
        commands.append((line[6:].split(), []))
        target = commands[-1][1]
    else:
        target.append(line)
assert len(commands) >= 4 and files, "docs/memory/phases.md shows no commands or no file"
with tempfile.TemporaryDirectory() as folder:
    for name, content in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("\n".join(content) + "\n")
    for arguments, expected in commands:
        run = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        said = (run.stdout + run.stderr).splitlines()
        said = [l for l in said if l]  # empty lines are left out on the page
        if said != expected:
            sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(said), "\n".join(expected)))
