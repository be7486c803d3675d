#include "service/run_near.hpp"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace lk {

namespace {

constexpr std::size_t kMostCpus = 8192;   // the kernel's own bound on x86
constexpr std::size_t kMostNodes = 1024;  // MAX_NUMNODES at most
constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

using CpuMask = std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)>;
using NodeMask = std::vector<unsigned long>;

CpuMask empty_mask() {
  CpuMask mask(CPU_ALLOC(kMostCpus), [](cpu_set_t* set) { CPU_FREE(set); });
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMostCpus), mask.get());
  return mask;
}

Status set_cpus(const CpuSet& cpus) {
  const auto size = CPU_ALLOC_SIZE(kMostCpus);
  const auto mask = empty_mask();
  for (const unsigned cpu : cpus.to_vector()) {
    if (cpu < kMostCpus) CPU_SET_S(cpu, size, mask.get());
  }
  if (::sched_setaffinity(0, size, mask.get()) != 0) {
    return Error{"cannot run on CPUs " + cpus.to_list(), {}, errno};
  }
  // The kernel leaves out what the process's cpuset does not allow, without a word.
  const auto now = empty_mask();
  if (::sched_getaffinity(0, size, now.get()) != 0) {
    return Error{"cannot read back on which CPUs this process runs", {}, errno};
  }
  CpuSet in_effect;
  for (unsigned cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, size, now.get()) != 0) in_effect.add(cpu);
  }
  if (in_effect != cpus) {
    return Error{"asked for CPUs " + cpus.to_list() + ", and the kernel gave " +
                     in_effect.to_list() + " (a cpuset of this process's control group?)",
                 {},
                 0};
  }
  return ok_status();
}

Status set_memory(std::int64_t node, MemoryPolicy policy) {
  const int mode = policy == MemoryPolicy::bind ? MPOL_BIND : MPOL_PREFERRED;
  NodeMask mask(kMostNodes / kWordBits);
  const auto bit = static_cast<std::size_t>(node);
  if (node < 0 || bit >= kMostNodes) return Error{"no such node", {}, EINVAL};
  mask[bit / kWordBits] |= 1UL << (bit % kWordBits);
  const std::string what = "memory from node " + std::to_string(node);
  // The kernel reads one bit less than it is told.
  if (::syscall(SYS_set_mempolicy, mode, mask.data(), kMostNodes + 1) != 0) {
    return Error{"cannot take " + what, {}, errno};
  }
  int mode_now = -1;
  NodeMask now(mask.size());
  if (::syscall(SYS_get_mempolicy, &mode_now, now.data(), kMostNodes, nullptr, 0UL) != 0) {
    return Error{"cannot read back where this process takes memory from", {}, errno};
  }
  if (mode_now != mode || now != mask) {
    return Error{"asked for " + what + ", and the kernel set another policy", {}, 0};
  }
  return ok_status();
}

}  // namespace

Status go_near(const Placement& placement, MemoryPolicy policy) {
  if (auto status = set_cpus(placement.cpus); !status) return status;
  return set_memory(placement.memory_node, policy);
}

Error become(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& each : words) argv.push_back(each.data());
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  return Error{"cannot run", command.front(), errno};
}

}  // namespace lk
