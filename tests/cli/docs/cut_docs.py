"""cut_docs.py DSE ROOT: runs the commands of docs/network/cut.md from the project's root and compares what they print."""
import os
import sys
import tempfile

from page_commands import Shown, expect_same, said

dse, root = sys.argv[1:]
shown = Shown(root, "network/cut.md")
with tempfile.TemporaryDirectory() as folder:
    os.symlink(os.path.join(root, "tests"), os.path.join(folder, "tests"))
    for arguments, expected in shown.commands:
        expect_same(arguments, said(dse, arguments, folder), expected)
