"""A program on a pseudo-terminal, as a person has it: what it shows, what is typed, how it ends."""
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time

CTRL_C, CTRL_D = b"\x03", b"\x04"


class Terminal:
    """Starts the command with the terminal as its stdin, stderr and, unless another file is given, its stdout."""

    def __init__(self, command, stdout=None, **options):
        self.master, slave = pty.openpty()
        settings = termios.tcgetattr(slave)
        settings[3] &= ~termios.ECHO  # what is typed is not shown: all that comes is the program's
        termios.tcsetattr(slave, termios.TCSANOW, settings)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C becomes a signal

        self.process = subprocess.Popen([str(word) for word in command], stdin=slave, stdout=stdout or slave, stderr=slave,
                                        preexec_fn=take_terminal, **options)  # pylint: disable=subprocess-popen-preexec-fn
        os.close(slave)
        self.shown = ""
        self.unread = 0  # where the next wait_for() begins to look

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def type(self, text):
        os.write(self.master, text if isinstance(text, bytes) else text.encode() + b"\n")

    def wait_for(self, text, seconds=60):
        """What was shown since the last call, up to the end of the text; AssertionError if that does not come."""
        deadline = time.monotonic() + seconds
        while text not in self.shown[self.unread:]:
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"expected {text!r}, the terminal shows {self.shown!r}")
        end = self.shown.index(text, self.unread) + len(text)
        part, self.unread = self.shown[self.unread:end], end
        return part

    def wait_for_end(self, seconds=60):
        """The exit code as a shell has it: 128 and the number of a signal."""
        deadline = time.monotonic() + seconds
        while self._read(deadline - time.monotonic()):
            pass
        code = self.process.wait(timeout=max(0.1, deadline - time.monotonic()))
        return code if code >= 0 else 128 - code

    def _read(self, seconds):
        """False if nothing more came in time, or nothing can come."""
        if seconds <= 0 or not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


assert 128 + signal.SIGINT == 130
