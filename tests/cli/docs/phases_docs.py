"""phases_docs.py DSE ROOT: runs the commands of docs/memory/phases.md where its files are and compares what they print."""
import sys
import tempfile

from page_commands import Shown, expect_same, said

dse, root = sys.argv[1:]
shown = Shown(root, "memory/phases.md")
assert len(shown.commands) >= 4 and shown.files, "docs/memory/phases.md shows few commands or no file"
with tempfile.TemporaryDirectory() as folder:
    shown.write(folder)
    for arguments, expected in shown.commands:
        # empty lines are left out on the page
        expect_same(arguments, [l for l in said(dse, arguments, folder) if l], expected)
