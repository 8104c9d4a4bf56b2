"""npu_docs.py DSE ROOT: runs the commands of docs/npu/ and looks for the lines that the pages show of each."""
import sys
import tempfile

from page_commands import Shown, said

dse, root = sys.argv[1:]
found = 0
for page in ("npu", "run", "schedules", "system"):
    shown = Shown(root, "npu/" + page + ".md")
    with tempfile.TemporaryDirectory() as folder:
        for arguments, expected in shown.commands:
            got = said(dse, arguments, folder)
            for line in expected:
                if line not in got:
                    sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(got), line))
                found += 1
assert found >= 10, "docs/npu shows no commands"
