"""npu_docs.py DSE ROOT: runs the commands of docs/npu/ and looks for the lines that the pages show of each."""
import os
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:]
shown = 0
for page in ("npu", "schedules", "system"):
    lines = [l[4:] for l in open(os.path.join(root, "docs/npu", page + ".md"), encoding="utf-8").read().splitlines() if l.startswith("    ")]
    commands = []
    for line in lines:
        if line.startswith("$ dse "):
            commands.append((line[6:].split(), []))
        else:
            commands[-1][1].append(line)
    with tempfile.TemporaryDirectory() as folder:
        for arguments, expected in commands:
            run = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True)
            said = (run.stdout + run.stderr).splitlines()
            for line in expected:
                if line not in said:
                    sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(said), line))
                shown += 1
assert shown >= 10, "docs/npu shows no commands"
