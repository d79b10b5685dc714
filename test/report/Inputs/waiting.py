"""What is seen on a terminal while a trace is read, and what Ctrl-C does.

    waiting.py bar|quick|dumb|interrupt FOLDER COMMAND...

The command is stopped as soon as it has read some of the trace, for longer than a second, and goes
on then: so the work takes as long, on any machine. Where it was done before that, once more.

bar        there is a progress bar, and it is gone before anything else is printed
quick      there is none, of a trace that takes less than a second
dumb       there is none, although it takes longer
interrupt  Ctrl-C: exit status 130, nothing in FOLDER, nothing printed, no bar left
"""
import os
import pty
import signal
import sys
import time

BAR = b"reading the trace ["
CLEARED = b"\r\x1b[K"
READ = 2 << 20  # bytes that are of the trace and not of libraries: it is larger by far
CTRL_C = b"\x03"


def bytes_read(pid):
    with open(f"/proc/{pid}/io") as io:
        return int(io.readline().split()[1])  # rchar


def stop_while_reading(pid):
    """False where it has ended."""
    while True:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return False
        if bytes_read(pid) > READ:
            os.kill(pid, signal.SIGSTOP)
            break
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT).si_code == os.CLD_STOPPED


def rest_of(terminal):
    data = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how a terminal ends
            return data
        if not part:
            return data
        data += part


def attempt(mode, command):
    """What the terminal showed, and the exit status. None where it was done before it could be stopped."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    try:
        if mode != "quick":
            if not stop_while_reading(pid):
                rest_of(terminal)
                os.waitpid(pid, 0)
                return None
            if mode in ("bar", "dumb"):
                time.sleep(1.1)
            else:
                os.write(terminal, CTRL_C)
            os.kill(pid, signal.SIGCONT)
        shown = rest_of(terminal)
        return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        os.close(terminal)


def problem(mode, folder, shown, status):
    if mode == "interrupt":
        if status == 0:  # it was reading its last bytes
            return None
        if status != 128 + signal.SIGINT:
            return f"exit status {status}"
        if os.listdir(folder):
            return f"left: {os.listdir(folder)}"
        left = shown.rpartition(CLEARED)[2] if CLEARED in shown else shown
        return "" if left in (b"", b"^C") else f"printed: {left}"
    if status != 0:
        return f"exit status {status}"
    if mode == "bar":
        if BAR not in shown:
            return None
        before, cleared, after = shown.rpartition(CLEARED)
        return "" if cleared and BAR in before and BAR not in after and b"launch 0:" in after else "not cleared"
    return "" if BAR not in shown else None if mode == "quick" else "a bar"


mode, folder, command = sys.argv[1], sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)
for _ in range(20):
    result = attempt(mode, command)
    found = problem(mode, folder, *result) if result else None
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    if found is not None:
        sys.exit(found or 0)
sys.exit(f"{mode}: never seen, the last time: {result and (result[0][:300], result[1])}")
