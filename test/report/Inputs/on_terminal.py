"""Runs a command on a terminal of that width, and prints what it shows with \\x1b spelled out.

    on_terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
data = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # how a terminal ends
        break
    if not part:
        break
    data += part
sys.stdout.write(data.decode().replace("\r\n", "\n").replace("\x1b", "\\x1b"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
