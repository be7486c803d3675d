"""What the tests of the HTTP core share: a server to torture, sockets, and what came back."""
import os
import re
import resource
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = None  # set by run.py
# UBSan checks virtual calls with a pipe, and takes EMFILE for a bad pointer.
NEEDS_NO_DESCRIPTOR = unittest.skipIf(os.environ.get("LK_SANITIZE"), "sanitizers need descriptors")
HOST = b"Host: localhost\r\n"


class Server:
    """wire_server on a TCP port and a Unix socket, with deadlines short enough to wait for."""

    def __init__(self, *options, nofile=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "s")
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))) if nofile else None
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, options), "127.0.0.1:0", "unix:" + self.path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        line = self.process.stdout.readline()
        self.port = int(line.rsplit(":", 1)[1])
        self.process.stdout.readline()

    def connect(self, kind="tcp", timeout=8):
        if kind == "tcp":
            return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(self.path)
        return s

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_bytes(self):
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def alive(self):
        return self.process.poll() is None

    def close(self):
        if self.alive():
            self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


def read_all(s):
    """Everything until the server closes, and whether it did so without a reset."""
    data = bytearray()
    try:
        while True:
            piece = s.recv(1 << 20)
            if not piece:
                return bytes(data), True
            data += piece
    except ConnectionResetError:
        return bytes(data), False


def read_response(s, head_only=False):
    """One response: (status, headers, body)."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = s.recv(1)
        if not piece:
            raise EOFError(f"closed after {data!r}")
        data += piece
    lines = data.split(b"\r\n")
    status = int(lines[0].split()[1])
    headers = {}
    for line in lines[1:]:
        if line:
            name, _, value = line.partition(b": ")
            headers[name.decode().lower()] = value.decode()
    length = 0 if head_only else int(headers.get("content-length", 0))
    body = bytearray()
    while len(body) < length:
        piece = s.recv(min(1 << 20, length - len(body)))
        if not piece:
            raise EOFError(f"body closed after {len(body)} of {length}")
        body += piece
    return status, headers, bytes(body)


def statuses(data):
    """The status codes of every response in `data`."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", data)]


class Wire(unittest.TestCase):
    kind = "tcp"

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--head-ms", 1500, "--idle-ms", 3000, "--transfer-ms", 1500)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def setUp(self):
        self.assertTrue(self.server.alive(), "the server died")

    def tearDown(self):
        self.assertTrue(self.server.alive(), "the server died")

    def connect(self):
        s = self.server.connect(self.kind)
        self.addCleanup(s.close)
        return s

    def send(self, data):
        """All responses to `data`, after which the client stops sending."""
        s = self.connect()
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        return read_all(s)

    def refused(self, data, status):
        """One response with that status, then the end of the connection, never a second one."""
        answer, clean = self.send(data)
        self.assertEqual(statuses(answer), [status], answer[:300])
        self.assertIn(b"Connection: close", answer)
        self.assertTrue(clean, "the connection was reset: a client may lose the answer")

    def ok(self, data, count=1):
        answer, _ = self.send(data)
        self.assertEqual(statuses(answer), [200] * count, answer[:300])
        return answer
