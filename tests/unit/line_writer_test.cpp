#include "base/line_writer.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/child.hpp"

using namespace std::chrono_literals;

TEST_CASE("lines come out whole and in order") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  {
    lk::LineWriter out(ends[1]);
    for (int i = 0; i < 100; ++i) out.write("line " + std::to_string(i));
  }
  ::close(ends[1]);
  const auto text = lk::read_all(ends[0]);
  ::close(ends[0]);
  CHECK(text.starts_with("line 0\nline 1\n"));
  CHECK(text.ends_with("line 99\n"));
}

TEST_CASE("nobody waits for a reader that does not read; what is lost is told") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const auto start = std::chrono::steady_clock::now();
  std::string text;
  {
    lk::LineWriter out(ends[1], 10);
    for (int i = 0; i < 1000; ++i) out.write(std::string(4000, 'x'));
    CHECK(std::chrono::steady_clock::now() - start < 2s);
    std::array<char, 65536> buffer{};
    while (text.find("lines were dropped here\n") == std::string::npos) {
      const auto got = ::read(ends[0], buffer.data(), buffer.size());
      REQUIRE(got > 0);
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }
  CHECK(text.size() < std::size_t{1000} * 4001);
  ::close(ends[0]);
}
