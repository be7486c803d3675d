// Becoming local to a drive: what is set is read back, and what cannot be set is an error.
#include "service/run_near.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

using namespace lk;

namespace {

// Runs `body` in a child, whose affinity may change, and gives its exit status.
template <class Body>
int in_child(Body&& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

unsigned first_allowed_cpu() {
  cpu_set_t set;
  CPU_ZERO(&set);
  REQUIRE(::sched_getaffinity(0, sizeof set, &set) == 0);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) return cpu;
  }
  return 0;
}

}  // namespace

TEST_CASE("run near: the CPUs and the policy are in effect, or it is an error") {
  Placement placement;
  placement.cpus = CpuSet{first_allowed_cpu()};
  const int status = in_child([&] {
    const auto done = go_near(placement, MemoryPolicy::prefer);
    // Containers may forbid set_mempolicy.
    if (!done) return done.error().err == EPERM || done.error().err == ENOSYS ? 0 : 1;
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    return CPU_COUNT(&set) == 1 && CPU_ISSET(placement.cpus.first(), &set) ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("run near: CPUs or nodes that are not there are refused") {
  Placement placement;
  placement.cpus = CpuSet{4000};
  CHECK(in_child([&] { return go_near(placement, MemoryPolicy::prefer) ? 0 : 7; }) == 7);
  placement.cpus = CpuSet{first_allowed_cpu(), 4000};  // the kernel would take the one it has
  CHECK(in_child([&] {
          const auto done = go_near(placement, MemoryPolicy::prefer);
          return !done && done.error().what.find("the kernel gave") != std::string::npos ? 7 : 0;
        }) == 7);
  placement.cpus = CpuSet{first_allowed_cpu()};
  for (const std::int64_t node : {std::int64_t{900}, std::int64_t{5000}, std::int64_t{-1}}) {
    CAPTURE(node);
    placement.memory_node = node;
    CHECK(in_child([&] { return go_near(placement, MemoryPolicy::bind) ? 0 : 7; }) == 7);
  }
}

TEST_CASE("run near: a program that is not there, or none") {
  CHECK(become({"/does/not/exist"}).err == ENOENT);
  CHECK(become({"/etc/passwd"}).err == EACCES);
  CHECK(in_child([] {
          become({"/bin/sh", "-c", "exit 42"});
          return 1;
        }) == 42);
}
