"""A run of dse that is watched while it goes: which processes it has, and what memory they take together."""
import os
import pathlib
import resource
import signal
import subprocess
import time

ENDED = "ZX"  # states of processes that only wait to be asked for their exit code


def session_of(pid):
    """Session of a live process, or None."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in ENDED else int(fields[3])


def children_of(pid):
    """The process and all below it."""
    out = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                out += children_of(int(child))
        except OSError:
            pass  # it has ended meanwhile
    return out


def proportional_bytes(pid):
    """Resident memory of a process, of pages that several share its part."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def spent_by(pid):
    """Seconds of CPU, with those of the children that it has waited for."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def spent_by_ended():
    """Seconds of CPU of the children that have ended, and of those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Watched:
    """A process in a session of its own, so that all that come from it are known; output goes into files beside `name`."""

    def __init__(self, command, folder, name):
        self.texts = [folder / f"{name}.{stream}" for stream in ("out", "err")]
        with self.texts[0].open("wb") as out, self.texts[1].open("wb") as err:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        self.began = time.monotonic()
        self.peak, self.seconds, self.cpu = 0, 0.0, 0.0
        self.before = spent_by_ended()

    def alive(self):
        """All of its session, those included whose parent has gone."""
        return [int(p) for p in os.listdir("/proc") if p.isdigit() and session_of(int(p)) == self.process.pid]

    def look(self):
        self.peak = max(self.peak, sum(map(proportional_bytes, children_of(self.process.pid))))

    def wait(self, timeout, look=True):
        """Until it ends, for so many seconds. @returns its exit code, None when there is none by then."""
        until = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < until:
            if look:
                self.look()
            time.sleep(0.02 if look else 0.002)
        self.seconds, self.cpu = time.monotonic() - self.began, spent_by_ended() - self.before
        return self.process.returncode

    def send(self, number, everybody):
        """A signal to the process, or to all of its group as a terminal does."""
        try:
            (os.killpg if everybody else os.kill)(self.process.pid, number)
        except ProcessLookupError:
            pass

    def kill(self):
        for pid in self.alive():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def said(self):
        return "".join(t.read_text(errors="replace") for t in self.texts)
