"""docs_test.py DSE ROOT: runs the commands of docs/network/onnx.md from the project's root and compares what they print."""
import os
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:]
lines = [l[4:] for l in open(os.path.join(root, "docs/network/onnx.md"), encoding="utf-8").read().splitlines() if l.startswith("    ")]
commands = []
for line in lines:
    if line.startswith("$ dse "):
        commands.append((line[6:].split(), []))
    else:
        commands[-1][1].append(line)
assert len(commands) >= 2, "docs/network/onnx.md shows no commands"
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(root, "tests"), os.path.join(folder, "tests"))
    for arguments, expected in commands:
        run = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True)
        said = (run.stdout + run.stderr).splitlines()
        if said != expected:
            sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(said), "\n".join(expected)))
