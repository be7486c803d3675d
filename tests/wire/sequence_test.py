"""Requests on one connection: order, keep-alive, deadlines, refusals; names of the host."""
import os
import socket
import time

import harness
from harness import HOST, Server, read_all, read_response, statuses


class Sequence(harness.Wire):
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


class UnixSequence(Sequence):
    kind = "unix"

    def test_peer_is_known(self):
        self.assertIn(b"peer-uid=%d\n" % os.getuid(), self.ok(self.get))


class Hosts(harness.Wire):
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
