"""Many clients at once, and the end of the server."""
import os
import resource
import signal
import threading
import time
import unittest

from harness import HOST, NEEDS_NO_DESCRIPTOR, Server, read_all, read_response


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

    def test_one_client_cannot_have_all_connections(self):
        server = self.start("--connections", 100, "--client-connections", 5, "--rate", 200_000_000)
        idle = self.hold(server, 5)
        self.assert_answers(server)  # the idlest of its own made room
        self.assertEqual(idle[0].recv(1), b"")
        big = b"GET /big HTTP/1.1\r\n" + HOST + b"\r\n"
        for each in idle[1:]:
            each.sendall(big)
        self.hold(server, 1, big)
        time.sleep(0.3)
        s = server.connect()
        s.sendall(self.get)
        status, headers, _ = read_response(s)
        self.assertEqual((status, headers["connection"]), (429, "close"))
        s.close()
        self.assert_answers(server, "unix")  # another client

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
