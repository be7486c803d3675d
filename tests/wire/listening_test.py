"""Addresses and socket files."""
import os
import shutil
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import harness
from harness import Server, read_response


class Listening(unittest.TestCase):
    def refused(self, address, *words):
        done = subprocess.run([harness.PROGRAM, address], capture_output=True, text=True, timeout=10)
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
        again = subprocess.Popen([harness.PROGRAM, "unix:" + server.path], stdout=subprocess.PIPE, text=True)
        self.addCleanup(again.communicate)
        self.addCleanup(again.kill)
        self.assertEqual(again.stdout.readline(), "listening unix:" + server.path + "\n")
        self.assertEqual(os.stat(server.path).st_mode & 0o777, 0o666)

    @unittest.skipIf(os.getuid() != 0, "only root can become nobody")
    def test_no_permission(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            os.chmod(folder, 0o755)  # a checkout may lie where nobody can reach it
            program = shutil.copy(harness.PROGRAM, folder)
            os.chmod(program, 0o755)
            done = subprocess.run([program, f"unix:{folder}/s"], capture_output=True, text=True, timeout=10, user=65534)
            self.assertIn("EACCES", done.stderr)

    def test_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        process = subprocess.Popen([harness.PROGRAM, "[::1]:0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        port = int(process.stdout.readline().rsplit(":", 1)[1])
        s = socket.create_connection(("::1", port), timeout=5)
        s.sendall(b"GET / HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n" % port)
        self.assertEqual(read_response(s)[0], 200)
        s.close()
