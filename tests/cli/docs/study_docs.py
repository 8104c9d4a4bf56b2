"""study_docs.py DSE ROOT: runs the example of docs/run/study.md on a study made by a small run, and compares its tables with the page."""
import contextlib
import io
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

dse, root = sys.argv[1:]
with open(os.path.join(root, "docs/run/study.md"), encoding="utf-8") as file:
    page = file.read()
(example,) = re.findall(r"^```python\n(.*?)^```$", page, re.S | re.M)
prose = " ".join(page.split())  # wherever its lines break
(command,) = re.findall(r"Of a run `dse (run [^`]*)`", prose)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([dse, *shlex.split(command)], check=True, stdout=subprocess.DEVNULL)
    said = io.StringIO()
    names = {}
    with contextlib.redirect_stdout(said):
        exec(compile(example, "docs/run/study.md", "exec"), names)
    assert names["counts"]["simulated"] > 0, names["counts"]
    fastest = names["fastest"]
    assert len(fastest) >= 5, "fewer layers than ds-cnn has"
    for row in fastest:
        assert row["latency_us"] > 0 and 0 <= row["memory_bytes"] <= 8192 and row["traffic_bytes"] >= 0, dict(row)
    lines = said.getvalue().splitlines()
    assert len(lines) == len(fastest) + 1 and "dse " + command.split(" -o")[0].split(" ")[0] in lines[-1], lines
    names["study"].close()

    # The program says the same, and the page names every table, view and column.
    listed = subprocess.run([dse, "study", "export", "out", "-o", "-"], check=True, capture_output=True, text=True)
    assert len(listed.stdout.splitlines()) - 1 == sum(names["counts"].values())
    study = sqlite3.connect("out/study.sqlite")
    (form,), (application,) = (study.execute("PRAGMA " + p).fetchone() for p in ("user_version", "application_id"))
    assert f"`PRAGMA user_version` is {form}, `PRAGMA application_id` is {application:#x}" in prose
    assert study.execute("SELECT value FROM study WHERE key = 'format'").fetchone() == (str(form),)
    for (key,) in study.execute("SELECT key FROM study"):
        assert f"`{key}`" in page, key
    for (table,) in study.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall():
        part = page[page.index(f"\n`{table}`, one row per"):] if f"\n`{table}`, one row per" in page else page[page.index(f"| `{table}` |"):]
        part = part[:part.index("\n\n`")] if "\n\n`" in part else part
        for column in study.execute(f"PRAGMA table_info({table})"):
            assert f"`{column[1]}`" in part, f"docs/run/study.md does not describe {table}.{column[1]}"
        study.execute(f"SELECT * FROM {table}").fetchone()
