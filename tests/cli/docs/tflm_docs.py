"""tflm_docs.py DSE ROOT: runs the commands of docs/memory/tflm.md from the project's root and compares what they print."""
import os
import sys
import tempfile

from page_commands import Shown, expect_same, said

dse, root = sys.argv[1:]
shown = Shown(root, "memory/tflm.md")
assert len(shown.commands) == 3, "docs/memory/tflm.md shows other commands"
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(root, "tests"), os.path.join(folder, "tests"))
    for arguments, expected in shown.commands:
        expect_same(arguments, said(dse, arguments, folder), expected)
