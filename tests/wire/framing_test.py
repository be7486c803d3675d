"""Heads and bodies that are wrong, odd or hostile."""

import harness
from harness import HOST, statuses


class Framing(harness.Wire):
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


class UnixFraming(Framing):
    kind = "unix"
