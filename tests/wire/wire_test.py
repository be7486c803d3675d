#!/usr/bin/env python3
"""Hostile, broken and unusual clients against the HTTP core, byte by byte.

usage: wire_test.py PATH_TO_WIRE_SERVER [unittest arguments]
"""
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

SERVER = None
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
            [SERVER, *map(str, options), "127.0.0.1:0", "unix:" + self.path],
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


class Framing(Wire):
    smuggled = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"

    def post(self, headers, rest=b""):
        return b"POST / HTTP/1.1\r\n" + HOST + headers + b"\r\n" + rest

    def test_transfer_encodings_that_are_not_chunked(self):
        for value in (b"gzip", b"xchunked", b"chunked, identity", b"identity", b"gzip, chunked", b"",
                      b"chunked\r\nTransfer-Encoding: chunked", b"chunked\r\nTransfer-Encoding: gzip"):
            with self.subTest(value=value):
                answer, _ = self.send(self.post(b"Transfer-Encoding: " + value + b"\r\n", self.smuggled))
                self.assertIn(statuses(answer), ([501], [400]), answer[:200])
        self.refused(self.post(b"Transfer-Encoding: gzip\r\n", self.smuggled), 501)

    def test_chunked_in_any_case(self):
        self.ok(self.post(b"Transfer-Encoding: CHUNKED\r\n", b"1\r\na\r\n0\r\n\r\n"))

    def test_transfer_encoding_in_http_1_0(self):
        self.refused(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + self.smuggled, 400)

    def test_transfer_encoding_with_content_length(self):
        for headers in (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                        b"Transfer-Encoding: gzip\r\nContent-Length: 5\r\n",
                        b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"):
            with self.subTest(headers=headers):
                self.refused(self.post(headers, b"0\r\n\r\n" + self.smuggled), 400)

    def test_content_lengths(self):
        for value in (b"4\r\nContent-Length: 4", b"4, 4", b"4\r\nContent-Length: 5", b"+4", b"-1", b"0x4", b"",
                      b"4 4", b"18446744073709551616", b"99999999999999999999999"):
            with self.subTest(value=value):
                self.refused(self.post(b"Content-Length: " + value + b"\r\n", b"abcd" + self.smuggled), 400)

    def test_trailers_are_not_headers(self):
        answer = self.ok(self.post(b"Transfer-Encoding: chunked\r\n",
                                   b"1\r\na\r\n0\r\nAuthorization: Bearer evil\r\nHost: evil\r\n\r\n"))
        self.assertNotIn(b"evil", answer)

    def test_trailers_are_bounded(self):
        flood = b"1\r\na\r\n0\r\n" + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 100) for i in range(400))
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n", flood), 431)

    def test_chunk_extensions_are_bounded(self):
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n", b"1;" + b"e" * 100000), 431)

    def test_many_small_chunks(self):
        flood = b"".join(b"1;" + b"e" * 1000 + b"\r\na\r\n" for _ in range(200))
        self.refused(self.post(b"Transfer-Encoding: chunked\r\n", flood), 413)

    def test_bad_chunks(self):
        for body in (b"0x1\r\na\r\n", b"1\na\n0\n\n", b"fffffffffffffffff\r\n", b"-1\r\n", b"z\r\n", b"1\r\nab\r\n"):
            with self.subTest(body=body):
                self.refused(self.post(b"Transfer-Encoding: chunked\r\n", body), 400)

    def test_hosts(self):
        self.refused(b"GET / HTTP/1.1\r\n\r\n", 400)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400)
        self.ok(b"GET / HTTP/1.0\r\n\r\n")

    def test_targets(self):
        for target in (b"http://localhost/", b"localhost", b"*", b"/\xff", b"/" + b"a" * 2100, b"?a"):
            with self.subTest(target=target[:20]):
                self.refused(b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n", 400)
        self.ok(b"GET /" + b"a" * 2000 + b" HTTP/1.1\r\n" + HOST + b"\r\n")

    def test_folded_lines(self):
        for data in (b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n c\r\n\r\n", b"GET / HTTP/1.1\r\n A: b\r\n" + HOST + b"\r\n"):
            self.refused(data, 400)

    def test_control_characters(self):
        for value in (b"a\x00b", b"a\x07b", b"a\x7fb", b"a\rb", b"a\nb"):
            with self.subTest(value=value):
                self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"A: " + value + b"\r\n\r\n", 400)
        self.refused(b"\x16\x03\x01\x02\x00\x01\x00", 400)  # a TLS hello

    def test_bare_line_feeds(self):
        self.refused(b"GET / HTTP/1.1\nHost: localhost\n\n", 400)

    def test_bad_fields(self):
        for line in (b"Host : localhost\r\n", b": x\r\n", b"A b: c\r\n", b"no colon\r\n", b"A(: c\r\n"):
            with self.subTest(line=line):
                self.refused(b"GET / HTTP/1.1\r\n" + HOST + line + b"\r\n", 400)

    def test_versions(self):
        self.refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)
        self.refused(b"GET / HTTP/1.1x\r\n\r\n", 400)
        self.refused(b"GET /\r\n\r\n", 400)
        self.refused(b"\x00\x01\x02", 400)

    def test_methods(self):
        self.refused(b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 501)
        self.refused(b"get / HTTP/1.1\r\n" + HOST + b"\r\n", 501)
        self.refused(b"CONNECT localhost:1 HTTP/1.1\r\n" + HOST + b"\r\n", 501)
        self.ok(b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n")

    def test_blank_lines_before_a_request(self):
        self.ok(b"\r\n\r\nGET / HTTP/1.1\r\n" + HOST + b"\r\n\r\nGET / HTTP/1.1\r\n" + HOST + b"\r\n", 2)

    def test_head_size(self):
        def head(size):
            start = b"GET / HTTP/1.1\r\n" + HOST + b"A: "
            return start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"
        self.ok(head(8192))
        self.refused(head(8193), 431)
        self.refused(head(61440), 431)
        self.refused(b"GET / HTTP/1.1\r\n" + b"x" * 300000, 431)


class Sequence(Wire):
    get = b"GET /a HTTP/1.1\r\n" + HOST + b"\r\n"

    def test_pipelined_requests(self):
        answer = self.ok(self.get + self.get.replace(b"/a", b"/b") + self.get.replace(b"/a", b"/c"), 3)
        self.assertLess(answer.index(b"GET /a"), answer.index(b"GET /b"))
        self.assertLess(answer.index(b"GET /b"), answer.index(b"GET /c"))

    def test_body_then_pipelined(self):
        answer = self.ok(b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello" + self.get, 2)
        self.assertIn(b"body=hello\n", answer)
        self.assertIn(b"GET /a", answer)

    def test_one_byte_at_a_time(self):
        s = self.connect()
        for byte in b"POST /p HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n":
            s.sendall(bytes([byte]))
        status, _, body = read_response(s)
        self.assertEqual(status, 200)
        self.assertIn(b"body=abcde\n", body)

    def test_half_close(self):
        answer, clean = self.send(self.get)
        self.assertEqual(statuses(answer), [200])
        self.assertTrue(clean)

    def test_keep_alive_and_close(self):
        for version, extra, stays in ((b"1.1", b"", True), (b"1.1", b"Connection: close\r\n", False),
                                      (b"1.1", b"Connection: keep-alive, close\r\n", False), (b"1.0", b"", False),
                                      (b"1.0", b"Connection: keep-alive\r\n", True)):
            with self.subTest(version=version, extra=extra):
                s = self.connect()
                s.sendall(b"GET / HTTP/" + version + b"\r\n" + HOST + extra + b"\r\n")
                _, headers, _ = read_response(s)
                self.assertEqual(headers["connection"], "keep-alive" if stays else "close")
                if stays:
                    s.sendall(self.get)
                    self.assertEqual(read_response(s)[0], 200)
                else:
                    self.assertEqual(s.recv(1), b"")

    def test_requests_do_not_leak_into_each_other(self):
        answer = self.ok(b"POST /p HTTP/1.1\r\n" + HOST + b"X-Secret: 1\r\nContent-Length: 3\r\n\r\nabc" + self.get, 2)
        second = answer[answer.index(b"GET /a"):]
        self.assertNotIn(b"x-secret", second)
        self.assertIn(b"body=\n", second)

    def test_head_requests(self):
        s = self.connect()
        s.sendall(b"HEAD /a HTTP/1.1\r\n" + HOST + b"\r\n")
        status, head, _ = read_response(s, head_only=True)
        self.assertEqual(status, 200)
        s.sendall(self.get)
        _, get, _ = read_response(s)
        self.assertEqual(int(head["content-length"]), int(get["content-length"]) + 1)  # HEAD is longer by 1
        answer, _ = self.send(b"HEAD /a HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
        self.assertTrue(answer.endswith(b"\r\n\r\n"), "HEAD must have no body")

    def test_bodiless_statuses(self):
        for target, status in ((b"/nothing", 204), (b"/same", 304)):
            s = self.connect()
            s.sendall(b"GET " + target + b" HTTP/1.1\r\n" + HOST + b"\r\n" + self.get)
            first, headers, _ = read_response(s)
            self.assertEqual(first, status)
            self.assertNotIn("content-length", headers)
            self.assertEqual(read_response(s)[0], 200)

    def test_continue(self):
        s = self.connect()
        s.sendall(b"POST /p HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        self.assertEqual(read_response(s)[0], 100)
        s.sendall(b"abc")
        status, _, body = read_response(s)
        self.assertEqual(status, 200)
        self.assertIn(b"body=abc\n", body)

    def test_continue_is_not_given_to_what_is_refused(self):
        for line, extra, status in ((b"POST /denied", b"Content-Length: 3\r\n", 401),
                                    (b"POST /p", b"Content-Length: 5000\r\n", 413),
                                    (b"GET /p", b"Content-Length: 1\r\n", 413)):
            with self.subTest(line=line):
                self.refused(line + b" HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\n" + extra + b"\r\n", status)
        self.refused(b"POST /p HTTP/1.1\r\n" + HOST + b"Expect: tea\r\nContent-Length: 1\r\n\r\nx", 417)

    def test_body_limits(self):
        self.ok(b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 4096\r\n\r\n" + b"x" * 4096)
        self.refused(b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 4097\r\n\r\n" + b"x" * 4097, 413)
        self.refused(b"POST /p HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1001\r\n" + b"x" * 4097, 413)
        self.refused(b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 9223372036854775807\r\n\r\nx", 413)

    def test_refusal_arrives_although_the_client_keeps_sending(self):
        s = self.connect()
        s.sendall(b"POST /denied HTTP/1.1\r\n" + HOST + b"Content-Length: 1000000\r\n\r\n")
        try:
            for _ in range(20):
                s.sendall(b"x" * 50000)
        except OSError:
            pass
        answer, _ = read_all(s)
        self.assertEqual(statuses(answer), [401])

    def test_refused_body_is_not_a_request(self):
        self.refused(b"POST /denied HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % len(self.get) + self.get, 401)

    def test_exception_in_a_handler(self):
        self.refused(b"GET /throw HTTP/1.1\r\n" + HOST + b"\r\n", 500)

    def test_slow_head(self):
        s = self.connect()
        start = time.monotonic()
        try:
            for byte in b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"x" * 1000:
                s.sendall(bytes([byte]))
                time.sleep(0.1)
                if time.monotonic() - start > 5:
                    self.fail("a slow head is waited for without end")
        except OSError:
            pass
        self.assertLess(time.monotonic() - start, 3)

    def test_slow_body(self):
        s = self.connect()
        start = time.monotonic()
        s.sendall(b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n")
        try:
            while time.monotonic() - start < 5:
                s.sendall(b"x")
                time.sleep(0.1)
            self.fail("a slow body is waited for without end")
        except OSError:
            pass

    def test_idle_connection_ends(self):
        s = self.connect()
        start = time.monotonic()
        self.assertEqual(s.recv(1), b"")
        self.assertTrue(2 < time.monotonic() - start < 6)

    def test_slow_work_keeps_nobody_else_waiting(self):
        slow = self.connect()
        slow.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n" + self.get)
        start = time.monotonic()
        for _ in range(20):
            self.ok(self.get)
        self.assertLess(time.monotonic() - start, 0.8)
        self.assertEqual(read_response(slow)[::2], (200, b"slow /slow\n"))
        self.assertEqual(read_response(slow)[0], 200)  # the pipelined one
        self.refused(b"GET /slow/throw HTTP/1.1\r\n" + HOST + b"\r\n", 500)

    def test_client_that_vanishes_during_slow_work(self):
        for _ in range(2):
            s = self.server.connect(self.kind)
            s.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n")
            s.close()
        self.ok(self.get)
        self.ok(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n")

    def test_unread_response_is_given_up(self):
        server = Server("--transfer-ms", 500, "--rate", 200_000_000)
        self.addCleanup(server.close)
        s = server.connect(self.kind)
        s.sendall(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        time.sleep(2)
        got, _ = read_all(s)
        self.assertLess(len(got), 64 << 20)

    def test_large_response_arrives_whole(self):
        s = self.connect()
        s.sendall(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        status, _, body = read_response(s)
        self.assertEqual((status, len(body)), (200, 64 << 20))

    def test_client_that_vanishes(self):
        for data in (b"GET", b"POST /p HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\nabc", b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n"):
            s = self.server.connect(self.kind)
            s.sendall(data)
            if self.kind == "tcp":
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # reset
            s.close()
        self.ok(self.get)


class UnixFraming(Framing):
    kind = "unix"


class UnixSequence(Sequence):
    kind = "unix"

    def test_peer_is_known(self):
        self.assertIn(b"peer-uid=%d\n" % os.getuid(), self.ok(self.get))


class Hosts(Wire):
    def test_names(self):
        port = b"%d" % self.server.port
        for host, status in ((b"localhost", 200), (b"LOCALHOST:" + port, 200), (b"127.0.0.1:" + port, 200),
                             (b"[::1]:" + port, 200), (b"[::1]", 200), (b"good.test", 200), (b"evil.test", 421),
                             (b"localhost.", 421), (b"localhost:1", 421), (b"localhost:", 421), (b"", 421),
                             (b"good.test.evil.test", 421), (b"127.0.0.1@evil", 421), (b"[::1", 421)):
            with self.subTest(host=host):
                answer, _ = self.send(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
                self.assertEqual(statuses(answer), [status])

    def test_unix_sockets_take_any_name(self):
        s = self.server.connect("unix")
        s.sendall(b"GET / HTTP/1.1\r\nHost: anything\r\n\r\n")
        self.assertEqual(read_response(s)[0], 200)
        s.close()


class Crowds(unittest.TestCase):
    get = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"

    def start(self, *options, **more):
        server = Server(*options, **more)
        self.addCleanup(server.close)
        return server

    def assert_answers(self, server, kind="tcp"):
        s = server.connect(kind)
        s.sendall(self.get)
        self.assertEqual(read_response(s)[0], 200)
        s.close()

    def hold(self, server, count, data=b""):
        held = []
        for _ in range(count):
            s = server.connect()
            if data:
                s.sendall(data)
            held.append(s)
        self.addCleanup(lambda: [s.close() for s in held])
        return held

    def test_idle_connections_make_room(self):
        server = self.start("--connections", 20)
        self.hold(server, 100)
        self.assert_answers(server)
        self.assert_answers(server, "unix")

    def test_half_sent_requests_make_room(self):
        server = self.start("--connections", 20)
        self.hold(server, 100, b"GET / HTT")
        self.assert_answers(server)

    def test_busy_connections_are_kept_and_new_ones_wait(self):
        server = self.start("--connections", 4, "--transfer-ms", 1500, "--rate", 200_000_000)
        self.hold(server, 6, b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        self.assert_answers(server, "unix")  # another listener, another limit
        self.assert_answers(server)          # once the slow readers are given up

    @NEEDS_NO_DESCRIPTOR
    def test_out_of_descriptors(self):
        server = self.start("--connections", 1000, nofile=24)
        before = server.cpu_seconds()
        held = self.hold(server, 60)
        time.sleep(1.5)
        self.assertLess(server.cpu_seconds() - before, 0.3, "the accept loop spins")
        self.assertTrue(server.alive())
        for s in held:
            s.close()
        self.assert_answers(server)

    @NEEDS_NO_DESCRIPTOR
    def test_out_of_descriptors_with_all_connections_held(self):
        server = self.start("--connections", 1000, nofile=24)
        self.hold(server, 60)
        self.assert_answers(server)

    def test_thousands_of_idle_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = 10000 if hard >= 11000 else hard - 200
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 1000), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = self.start("--connections", 2048)
        self.hold(server, count)
        start = time.monotonic()
        self.assert_answers(server)
        self.assertLess(time.monotonic() - start, 8)
        self.assertLess(server.rss_bytes(), 100 << 20)

    def test_memory_does_not_grow_with_floods(self):
        server = self.start()
        self.assert_answers(server)
        before = server.rss_bytes()

        def flood():
            s = server.connect()
            try:
                s.sendall(b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1;")
                for _ in range(100):
                    s.sendall(b"e" * 65536)
            except OSError:
                pass
            s.close()
        threads = [threading.Thread(target=flood) for _ in range(10)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertLess(server.rss_bytes() - before, 16 << 20)


class Stopping(unittest.TestCase):
    def start(self, *options):
        server = Server(*options)
        self.addCleanup(server.close)
        return server

    def test_idle_stop_is_quick_and_clean(self):
        server = self.start()
        idle = server.connect()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(3), 0)
        self.assertEqual(idle.recv(1), b"")
        self.assertFalse(os.path.exists(server.path), "the socket file is left behind")
        idle.close()

    def test_a_response_under_way_is_finished(self):
        server = self.start()
        s = server.connect()
        s.sendall(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        s.recv(1000)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        with self.assertRaises(OSError):
            server.connect()
        got, clean = read_all(s)
        self.assertTrue(clean)
        self.assertGreater(len(got), (64 << 20) - 1000)
        self.assertEqual(server.process.wait(3), 0)
        s.close()

    def test_a_request_under_way_is_answered(self):
        server = self.start()
        s = server.connect()
        s.sendall(b"GET / HTTP/1.1\r\n")
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        s.sendall(HOST + b"\r\n")
        status, headers, _ = read_response(s)
        self.assertEqual((status, headers["connection"]), (200, "close"))
        s.close()
        self.assertEqual(server.process.wait(3), 0)

    def test_slow_work_under_way_is_answered(self):
        server = self.start()
        s = server.connect()
        s.sendall(b"GET /slow HTTP/1.1\r\n" + HOST + b"\r\n")
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        status, headers, _ = read_response(s)
        self.assertEqual((status, headers["connection"]), (200, "close"))
        s.close()
        self.assertEqual(server.process.wait(3), 0)

    def test_drain_has_an_end(self):
        server = self.start("--drain-ms", 500)
        s = server.connect()
        s.sendall(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        s.recv(1000)
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(5), 0)
        self.assertTrue(0.3 < time.monotonic() - start < 3)
        s.close()

    def test_a_second_signal_ends_at_once(self):
        server = self.start()
        s = server.connect()
        s.sendall(b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n")
        s.recv(1000)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(2), 0)
        s.close()


class Listening(unittest.TestCase):
    def refused(self, address, *words):
        done = subprocess.run([SERVER, address], capture_output=True, text=True, timeout=10)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_bad_addresses(self):
        for address in ("", "7780", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "::1:80", "unix:",
                        "example.org:80", "127.0.0.1:-1", "[127.0.0.1]:80"):
            with self.subTest(address=address):
                self.refused(address, "is no address to listen on")

    def test_beyond_loopback(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:127.0.0.1]:0"):
            self.refused(address, "cannot listen on", "neither TLS nor tokens")

    def test_port_in_use(self):
        server = Server()
        self.addCleanup(server.close)
        self.refused(f"127.0.0.1:{server.port}", "cannot listen on 127.0.0.1:", "EADDRINUSE")
        self.refused("unix:" + server.path, "another server answers there")

    def test_files_in_the_way(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            Path(path).write_text("mine")
            self.refused("unix:" + path, "is no socket")
            self.assertEqual(Path(path).read_text(), "mine")
            self.refused("unix:" + folder + "/none/s", "ENOENT")
            self.refused("unix:" + folder + "/" + "x" * 200, "longer than 107 bytes")

    def test_stale_socket_is_replaced(self):
        server = Server()
        self.addCleanup(server.close)
        server.process.kill()
        server.process.wait()
        self.assertTrue(os.path.exists(server.path))
        again = subprocess.Popen([SERVER, "unix:" + server.path], stdout=subprocess.PIPE, text=True)
        self.addCleanup(again.communicate)
        self.addCleanup(again.kill)
        self.assertEqual(again.stdout.readline(), "listening unix:" + server.path + "\n")
        self.assertEqual(os.stat(server.path).st_mode & 0o777, 0o666)

    @unittest.skipIf(os.getuid() != 0, "only root can become nobody")
    def test_no_permission(self):
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run([SERVER, f"unix:{folder}/s"], capture_output=True, text=True, timeout=10, user=65534)
            except PermissionError:
                self.skipTest("nobody cannot reach the binary here")
            self.assertIn("EACCES", done.stderr)

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        process = subprocess.Popen([SERVER, "[::1]:0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        s = socket.create_connection(("::1", port), timeout=5)
        s.sendall(b"GET / HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n" % port)
        self.assertEqual(read_response(s)[0], 200)
        s.close()


del Wire  # a base, without tests of its own

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SERVER = sys.argv.pop(1)
    unittest.main(verbosity=1, warnings="ignore")  # sockets are closed by the garbage collector
