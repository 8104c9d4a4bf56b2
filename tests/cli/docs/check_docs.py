"""check_docs.py DSE ROOT: runs the commands of docs/run/check.md and those of examples/ci, in a folder as they expect it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from page_commands import Shown, said

dse, root = sys.argv[1:]
shown = Shown(root, "run/check.md")
assert len(shown.commands) == 5, "docs/run/check.md shows other commands"
with open(os.path.join(root, "docs/run/check.md"), encoding="utf-8") as page:
    (limits,) = re.findall(r"^```yaml\n(.*?)^```$", page.read(), re.S | re.M)
with open(os.path.join(root, "configs/networks/ds-cnn.yaml"), encoding="utf-8") as file:
    trained_anew = re.sub(r"^seed: .*$", "seed: 77", file.read(), flags=re.M).replace("name: ds-cnn", "name: newer", 1)
assert "seed: 77" in trained_anew and "name: newer" in trained_anew
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "limits.yaml"), "w", encoding="utf-8") as file:
        file.write(limits)
    for arguments, expected in shown.commands:
        got = said(dse, arguments, folder)
        for line in expected:
            if line not in got:
                sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(got), line))

    with open(os.path.join(folder, "newer.yaml"), "w", encoding="utf-8") as file:
        file.write(trained_anew)
    got = said(dse, ["check", "package", "-n", "newer.yaml", "-d", "gap8-class"], folder)
    if any(not line.startswith("ok ") for line in got) or len(got) < 4:
        sys.exit("other weights under another name:\n" + "\n".join(got))

    # The commands of both jobs: once where the plan holds, once where a limit is below it, once with another network.
    os.makedirs(os.path.join(folder, "firmware"))
    os.makedirs(os.path.join(folder, "models"))
    os.makedirs(os.path.join(folder, "bin"))
    os.rename(os.path.join(folder, "package"), os.path.join(folder, "firmware/package"))
    os.symlink(dse, os.path.join(folder, "bin/dse"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"],
                       GITHUB_STEP_SUMMARY=os.path.join(folder, "summary.md"))
    jobs = []
    for name, pattern in (("github.yml", r"^ +run: (.*)$"), ("gitlab.yml", r"^    - (.*)$")):
        with open(os.path.join(root, "examples/ci", name), encoding="utf-8") as job:
            jobs.append((name, re.findall(pattern, job.read(), re.M)))
    for latency, network, code in (("20 ms", "ds-cnn", 0), ("1 us", "ds-cnn", 6), ("20 ms", "resnet8", 3)):
        shutil.copy(os.path.join(root, "configs/networks", network + ".yaml"), os.path.join(folder, "models/network.yaml"))
        with open(os.path.join(folder, "firmware/limits.yaml"), "w", encoding="utf-8") as file:
            file.write('format: 1\nconstraints: {latency: "<= ' + latency + '"}\n')
        for name, commands in jobs:
            assert commands and commands[0].startswith("dse check "), name
            for command in commands:
                run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
                expected = code if command.startswith("dse ") else 0
                if run.returncode != expected:
                    sys.exit(f"{name}: {command}\nended with {run.returncode}, not {expected}\n{run.stdout}{run.stderr}")
            suite = xml.etree.ElementTree.parse(os.path.join(folder, "check.xml")).getroot().find("testsuite")
            assert (suite.get("failures") == "0") == (code == 0), name
