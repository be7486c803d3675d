#include "api/http_guard.hpp"

#include <doctest/doctest.h>

using namespace lk;

namespace {

Request request_with(std::vector<Header> headers, int version = 11) {
  Request request;
  request.method = Method::post;
  request.target = "/";
  request.version = version;
  request.headers = std::move(headers);
  if (version == 11) request.headers.push_back({"host", "localhost"});
  return request;
}

int refused(std::vector<Header> headers, int version = 11) {
  const auto refusal = check_framing(request_with(std::move(headers), version));
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("a head is complete at its empty line, however it arrives") {
  const std::string text = "GET / HTTP/1.1\r\nA: b\r\n\r\nrest";
  CHECK(HeadScan().scan(text) == text.size() - 4);
  HeadScan slow;
  for (std::size_t n = 1; n < text.size() - 4; ++n) CHECK_FALSE(slow.scan(text.substr(0, n)));
  CHECK(slow.scan(text.substr(0, text.size() - 4)) == text.size() - 4);
}

TEST_CASE("bytes that no head may hold are refused where they stand") {
  using namespace std::string_literals;
  for (const auto& text : {"GET /\n"s, "GET /\rX"s, "GET /\0"s, "A\r\n b\r\n"s, " GET"s, "\x7f"s}) {
    CAPTURE(text);
    HeadScan scan;
    CHECK_FALSE(scan.scan(text));
    CHECK(scan.refusal());
  }
  HeadScan scan;
  CHECK_FALSE(scan.scan("A: \tb \xff"));  // obs-text is legal in a value
  CHECK_FALSE(scan.refusal());
}

TEST_CASE("framing") {
  CHECK(refused({}) == 0);
  CHECK(refused({{"transfer-encoding", "Chunked"}}) == 0);
  CHECK(refused({{"transfer-encoding", "gzip"}}) == 501);
  CHECK(refused({{"transfer-encoding", "chunked"}, {"transfer-encoding", "chunked"}}) == 501);
  CHECK(refused({{"transfer-encoding", "chunked"}}, 10) == 400);
  CHECK(refused({{"transfer-encoding", "gzip"}, {"content-length", "1"}}) == 400);
  CHECK(refused({{"content-length", "1"}, {"content-length", "1"}}) == 400);
  CHECK(refused({{"content-length", "1, 1"}}) == 400);
  CHECK(refused({{"expect", "tea"}}) == 417);
  CHECK(refused({{"expect", "100-Continue"}}) == 0);
  CHECK(refused({{"host", "second"}}) == 400);
}

TEST_CASE("hosts") {
  const std::vector<std::string> allowed{"Node7.example"};
  for (const auto* good : {"localhost", "LocalHost:7780", "127.0.0.1", "127.0.0.1:7780",
                           "[::1]:7780", "node7.example", "node7.example:7780"}) {
    CAPTURE(good);
    CHECK(host_allowed(good, 7780, allowed));
  }
  for (const auto* bad : {"", "evil", "localhost.", "localhost:80", "localhost:", "[::1",
                          "127.0.0.1.evil", "evil:7780", "::1", "node7.example.evil"}) {
    CAPTURE(bad);
    CHECK_FALSE(host_allowed(bad, 7780, allowed));
  }
}

TEST_CASE("a response's head") {
  Response response = text_response(200, "text/plain", "abc");
  response.headers.push_back({"X-A", "b\r\nSet-Cookie: evil"});
  const auto head = response_head(response, true, 784111777);
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"));
  CHECK(head.find("Content-Length: 3\r\n") != std::string::npos);
  CHECK(head.find("\nSet-Cookie") == std::string::npos);
  for (const int status : {204, 304}) {
    response.status = status;
    CHECK(response_head(response, true, 0).find("Content-") == std::string::npos);
  }
}
