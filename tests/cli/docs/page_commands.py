"""What a page of docs/ shows: its files, its commands and what each prints, as lines of code blocks."""
import os
import subprocess
import sys


class Shown:
    """Files by name and commands as (arguments, lines that the page shows), in the page's order."""

    def __init__(self, root, page):
        text = open(os.path.join(root, "docs", page), encoding="utf-8").read()
        self.files, self.commands, target = {}, [], None
        outside = "".join(text.split("```")[::2])  # of blocks in fences
        for line in (l[4:] for l in outside.splitlines() if l.startswith("    ")):
            if line.startswith("$ cat "):
                target = self.files.setdefault(line[6:], [])
            elif line.startswith("$ dse "):
                target = []
                self.commands.append((line[6:].split(), target))
            else:
                target.append(line)
        assert len(self.commands) >= 1, "docs/" + page + " shows no commands"

    def write(self, folder):
        for name, content in self.files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write("\n".join(content) + "\n")


def said(dse, arguments, folder):
    """The lines of both streams of `dse ARGUMENTS` in `folder`."""
    run = subprocess.run([dse, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return (run.stdout + run.stderr).splitlines()


def expect_same(arguments, got, expected):
    if got != expected:
        sys.exit("dse {} printed\n{}\nnot\n{}".format(" ".join(arguments), "\n".join(got), "\n".join(expected)))
