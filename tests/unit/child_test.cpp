#include "base/child.hpp"

#include <signal.h>
#include <unistd.h>

#include <sys/wait.h>

#include <doctest/doctest.h>

using lk::own_environment;
using lk::read_all;
using lk::reap;
using lk::start_child;
using lk::write_all;
using std::chrono::milliseconds;

TEST_CASE("a child has pipes, a command, its environment, and no signal blocked") {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  // cat, asked for /proc/self/status as its command
  auto child = start_child("/bin/cat", "/proc/self/status", {"LK_TEST=1"});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(child.ok());
  const auto text = read_all(child->out);
  CHECK(text.find("SigBlk:\t0000000000000000") != std::string::npos);
  CHECK(reap(child->pid, milliseconds(5000)) == std::optional(0));
  ::close(child->in);
  ::close(child->out);
}

TEST_CASE("what is written to a child comes back") {
  const auto child = start_child("/bin/cat", "-", own_environment());
  REQUIRE(child.ok());
  CHECK(!reap(child->pid));
  CHECK(write_all(child->in, "hello\n"));
  ::close(child->in);
  CHECK(read_all(child->out) == "hello\n");
  CHECK(reap(child->pid, milliseconds(5000)) == std::optional(0));
  ::close(child->out);
}

TEST_CASE("a child that does not end is not waited for longer than said") {
  const auto child = start_child("/bin/cat", "-", own_environment());
  REQUIRE(child.ok());
  const auto start = std::chrono::steady_clock::now();
  CHECK(!reap(child->pid, milliseconds(50)));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  ::kill(child->pid, SIGKILL);
  CHECK(reap(child->pid, milliseconds(5000)).has_value());
  CHECK(reap(child->pid) == std::optional(0));  // it is ours no more
  ::close(child->in);
  ::close(child->out);
}

TEST_CASE("a program that is not there ends with 127") {
  const auto child = start_child("/nonexistent", "x", own_environment());
  REQUIRE(child.ok());
  const auto status = reap(child->pid, milliseconds(5000));
  REQUIRE(status);
  CHECK(WEXITSTATUS(*status) == 127);
  ::close(child->in);
  ::close(child->out);
}
