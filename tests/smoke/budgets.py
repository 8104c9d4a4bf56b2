#!/usr/bin/env python3
"""Whether a budget is one: runs with budgets of simulations, time and memory, and what they took.

budgets.py --dse BUILD/cli/dse --writer BUILD/tests/smoke/smoke_write_networks [--drawn N] [--first K] [--kinds KIND ...]
           [--networks NAME_OR_FILE ...] [--timed] [--jobs N] [--timeout SECONDS] [--keep FOLDER] [--table FILE]

Of each kind of device (KINDS) one, with each shipped network (SHIPPED) and --drawn N drawn ones of 50 to 150 operators; as the last
kind all of these networks in one sweep. DSE_SLOW per cent of these runs, evenly. --jobs N: workers of a run; runs follow each other,
since each is measured. A row says what was asked, what it took and whether that is at most a fifth more: simulations by all stages,
for each network of the sweep; seconds that passed; the peak of the resident memory of all processes together, which may not be more
at all. A clock says as much of the machine as of the program: seconds have 2 s in any case, are "late by load" where the run did not take
as many of CPU, and count for the exit code only with --timed. Exit code 1 when something is over, or a command ends otherwise than it should."""
import json
import os
import re
import sys

import matrix
from watched import Watched

KINDS = {"cpu": "stm32h743", "array": "os-array-16x16", "npu": "corstone-u55", "several networks": "stm32h743"}
SHIPPED = ("ds-cnn", "mobilenet-v1-0.25-96")
MIB = 2**20
# What is asked: a field of a sweep's budget, and how much. With a bound on memory there is one on time, as the question is how much
# memory a run takes and not how long it would.
ASKED = [("simulations", 20), ("simulations", 200), ("seconds", 2), ("seconds", 8), ("memory", 64 * MIB), ("memory", 512 * MIB)]
MORE = 1.2
SIMULATED = re.compile(r"([\d,]+) simulated")
FIELDS = {"simulations": "simulations: {}", "seconds": "time: {} s", "memory": "memory: {} B, time: 8 s"}


def made(run, results):
    """Simulations by all stages, as progress tells them while they are made; fronts count those of the last stage."""
    told = [int(n.replace(",", "")) for n in SIMULATED.findall(run.texts[1].read_text())]
    return max([0, *told, sum(front["simulated"] for front in results["fronts"])])


def verdict(options, what, asked, networks, run, results):
    """What was taken, as text, and whether it is too much."""
    if what == "simulations":
        took = made(run, results)
        return f"{took} simulations", took > MORE * asked * networks
    if what == "seconds":
        most = max(MORE * asked, asked + 2)
        late = "" if run.seconds <= most else ", late" if run.cpu > most else ", late by load"
        return f"{run.seconds:.1f} s{late}", options.timed and late == ", late"
    return f"{run.peak / MIB:.0f} MiB", run.peak > asked


def row(options, folder, kind, networks, what, asked):
    """One run. @returns its line and whether it failed."""
    name = re.sub(r"\W+", "-", f"{kind} {'+'.join(os.path.basename(str(n)) for n in networks)} {what} {asked}")
    text = f"networks: [{', '.join(map(str, networks))}]\ndevices: [{KINDS[kind]}]\nexplore:\n  budget: {{{FIELDS[what].format(asked)}}}\n"
    (folder / f"{name}.yaml").write_text(text)
    run = Watched([options.dse, "run", f"{name}.yaml", "-o", name, "--jobs", str(options.jobs)], folder, name)
    code = run.wait(options.timeout)
    of = os.path.basename(str(networks[0])) if len(networks) == 1 else f"{len(networks)} networks"
    limit = f"{asked // MIB} MiB" if what == "memory" else f"{asked} s" if what == "seconds" else f"{len(networks)} x {asked} simulations"
    start = f"{kind:16}  {of:28}  {limit:22}"
    if code is None:
        run.kill()
        return f"{start}  FAILED: no end after {options.timeout} s", True
    if code not in (0, 4, 6) or matrix.NEVER.search(run.said()):
        return f"{start}  FAILED: exit {code}\n{run.said()[-2000:]}", True
    results = json.loads((folder / name / ("results.json" if code == 0 else "infeasible.json")).read_text())
    took, over = verdict(options, what, asked, len(networks), run, results)
    points = sum(len(front["points"]) for front in results["fronts"])
    return (f"{start}  {took:20} {run.seconds:6.1f} s {run.cpu:6.1f} s of CPU {run.peak / MIB:5.0f} MiB {points:4} points  load {os.getloadavg()[0]:4.1f}  "
            f"{'OVER' if over else 'ok'}"), over


def parser_of(description):
    """What this script and signals.py are told."""
    parser = matrix.parser_of(description)
    parser.add_argument("--writer", required=True)
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--drawn", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--timed", action="store_true")
    return parser


def runs_of(options, scratch):
    """Kind of device and networks of each run."""
    networks = [*(options.networks or SHIPPED), *matrix.drawn(options, scratch, options.drawn, options.first, "large")]
    return [(kind, of) for kind in options.kinds for of in ([networks] if kind == "several networks" else [[n] for n in networks])]


def main():
    options = parser_of(__doc__).parse_args()
    scratch, _ = matrix.begin(options)
    cells = [(*run, *asked) for run in runs_of(options, scratch) for asked in ASKED]
    percent = matrix.percent_of("DSE_SLOW")
    cells = [c for i, c in enumerate(cells) if i * percent // 100 != (i - 1) * percent // 100]
    lines, failed = [], 0
    for cell in cells:
        line, wrong = row(options, scratch, *cell)
        print(line, flush=True)
        lines.append(line)
        failed += wrong
    matrix.end(options, scratch, [*lines, f"{len(cells)} runs, {failed} over their budget or failed"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
