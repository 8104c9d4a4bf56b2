#!/usr/bin/env python3
"""Whether an interrupt is one: runs that get a signal at a random moment.

signals.py --dse BUILD/cli/dse --writer BUILD/tests/smoke/smoke_write_networks [--count N] [--drawn N] [--first K] [--kinds KIND ...]
           [--networks NAME_OR_FILE ...] [--simulations N] [--longest SECONDS] [--seed K] [--timed] [--jobs N] [--keep FOLDER] [--table FILE]

Kinds of devices and networks are those of budgets.py. Each run goes undisturbed first; then --count N moments, or DSE_SLOW per cent of
them, in turn over the runs: between the start and the end, but not later than --longest. It is SIGINT or SIGTERM, to all processes, as a
terminal sends it, or to the first alone. Everything has to end, with exit code 130 and a front so far or words that there is none;
nothing may be called infeasible. Every tenth run goes on by the same command, to the front of the undisturbed one. Before anything has
begun (no folder for the results) it may die of the signal. Printed is how long the longest end took, in seconds that passed and in those
of CPU; more than 2 of the first count as a failure with --timed only, as a clock says as much of the machine as of the program.
Exit code 1 when anything failed."""
import os
import pathlib
import random
import signal
import shutil
import subprocess
import sys
import time

import budgets
import matrix
from budgets import KINDS, SHIPPED
from matrix import Failure
from watched import Watched, children_of, spent_by, spent_by_ended

IN_TIME = 2  # seconds
GOES_ON = "the same command goes on from there"


def outcome(folder):
    """What a run leaves for its user."""
    return {p.name: p.read_text() for p in [folder / "front.csv", *sorted((folder / "plans").iterdir())]}


class Target:
    """A run that is interrupted again and again."""

    def __init__(self, options, scratch, number, kind, networks):
        self.options, self.number = options, number
        self.name = f"{kind}, {', '.join(os.path.basename(str(n)) for n in networks)}"
        self.folder = scratch / f"{number:02}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "sweep.yaml").write_text(f"networks: [{', '.join(map(str, networks))}]\ndevices: [{KINDS[kind]}]\n"
                                                f"explore:\n  budget: {{simulations: {options.simulations}}}\n")
        whole = self.start("whole")
        code = whole.wait(options.timeout, look=False)
        if code is None:
            whole.kill()
        self.fits = code == 0
        if code not in (0, 4, 6):
            raise Failure(f"{self.name}: undisturbed, exit {code}\n{whole.said()[-2000:]}")
        self.seconds, self.expected = whole.seconds, outcome(self.folder / "whole") if self.fits else {}

    def start(self, name):
        return Watched([self.options.dse, "run", "sweep.yaml", "-o", name, "--jobs", str(self.options.jobs)], self.folder, name)

    def stacks(self, run):
        """Where what is left is."""
        lines = []
        for pid in run.alive():
            try:
                stat, wchan = (pathlib.Path(f"/proc/{pid}/{f}").read_text() for f in ("stat", "wchan"))
                lines.append(f"  {pid} {stat.split()[2]} waits in {wchan}, {spent_by(pid):.2f} s of CPU, parent {stat.split()[3]}")
            except OSError:
                pass
            if shutil.which("gdb"):
                said = subprocess.run(["gdb", "-batch", "-p", str(pid), "-ex", "backtrace 12"], text=True, capture_output=True).stdout
                lines += ["    " + line[:150] for line in said.splitlines() if line.startswith("#")]
        return "\n".join(lines)

    def interrupt(self, n, draw):
        """@returns seconds and seconds of CPU from the signal to the end, None when the run was quicker."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        moment = draw.uniform(0, min(self.seconds, self.options.longest))
        number, everybody = draw.choice((signal.SIGINT, signal.SIGTERM)), draw.random() < 0.5
        what = f"{self.name}: {number.name} to {'all' if everybody else 'the first'} after {moment:.3f} s"
        before = spent_by_ended()
        run = self.start("out")
        if run.wait(moment, look=False) is not None:
            return None
        running = children_of(run.process.pid)
        used, progress = sum(map(spent_by, running)), run.texts[1].read_text(errors="replace")[-80:].strip()
        run.send(number, everybody)
        sent, where = time.monotonic(), ""
        while run.alive():
            run.process.poll()
            took = time.monotonic() - sent
            if took > IN_TIME and not where:
                where = f"{what}: still there {took:.1f} s later, load {os.getloadavg()[0]:.1f}, at: {progress}\n{self.stacks(run)}"
                print(where, flush=True)
            if took > self.options.timeout:
                run.kill()
                raise Failure(f"{what}: does not end\n{where}")
            time.sleep(0.005)
        took, code = time.monotonic() - sent, run.process.wait()
        cpu = spent_by_ended() - before - used
        if code == 0:  # it was quicker
            return None
        self.judge(what, code, number, run.said())
        if n % 10 == 0:
            self.resume(what)
        if self.options.timed and where:
            raise Failure(where)
        return took, cpu, what

    def judge(self, what, code, number, said):
        out = self.folder / "out"
        if code == -number and not out.exists():
            return  # nothing had begun
        if code != 130:
            raise Failure(f"{what}: exit {code}\n{said[-2000:]}")
        if "no feasible plan" in said or matrix.NEVER.search(said) or (out / "infeasible.json").exists():
            raise Failure(f"{what}: said\n{said[-2000:]}")
        if not (out / "front.csv").exists() and GOES_ON not in said:
            raise Failure(f"{what}: neither a front nor words about it\n{said[-2000:]}")
        if (out / "front.csv").exists() and len((out / "front.csv").read_text().splitlines()) < 2:
            raise Failure(f"{what}: an empty front\n{said[-2000:]}")

    def resume(self, what):
        again = self.start("out")
        code = again.wait(self.options.timeout, look=False)
        if code is None:
            again.kill()
        if code != 0:
            raise Failure(f"{what}: the same command ended with exit {code}\n{again.said()[-2000:]}")
        found = outcome(self.folder / "out")
        wrong = sorted(n for n in found.keys() | self.expected.keys() if found.get(n) != self.expected.get(n))
        if wrong:
            raise Failure(f"{what}: the same command found another front: {', '.join(wrong)}\n{found['front.csv']}instead of\n{self.expected['front.csv']}")


def main():
    parser = budgets.parser_of(__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=400)
    parser.add_argument("--longest", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scratch, _ = matrix.begin(options)
    draw = random.Random(options.seed)
    targets, failures, ends, quicker, resumed = [], [], [], 0, 0
    for number, (kind, networks) in enumerate(budgets.runs_of(options, scratch)):
        try:
            target = Target(options, scratch, number, kind, networks)
            targets += [target] * target.fits
            print(f"{target.name}: {target.seconds:.1f} s undisturbed{'' if target.fits else ', no plan: left out'}", flush=True)
        except Failure as failure:
            failures.append(str(failure))
            print(failure, flush=True)
    wanted = max(1, options.count * matrix.percent_of("DSE_SLOW") // 100)
    tries = 0
    while targets and len(ends) + len(failures) < wanted and tries < 3 * wanted:
        target = targets[tries % len(targets)]
        tries += 1
        try:
            ended = target.interrupt(len(ends), draw)
            quicker += ended is None
            if ended:
                resumed += len(ends) % 10 == 0
                ends.append(ended)
                print(f"{ended[2]}: ended {ended[0]:.2f} s later, {ended[1]:.2f} s of CPU", flush=True)
        except Failure as failure:
            failures.append(str(failure))
            print(failure, flush=True)
    lines = list(failures)
    for place, of in enumerate(("seconds", "seconds of CPU")):
        if ends:
            worst = max(ends, key=lambda e, i=place: e[i])
            lines.append(f"longest end: {worst[place]:.2f} {of} ({worst[2]}); more than {IN_TIME}: {sum(e[place] > IN_TIME for e in ends)}")
    lines.append(f"{len(ends)} runs interrupted on {len(targets)} kinds of runs, {quicker} were quicker, {resumed} went on to the same front; {len(failures)} failed; "
                 f"load {os.getloadavg()[0]:.1f}")
    matrix.end(options, scratch, lines)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
