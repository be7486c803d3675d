#include <array>

#include "probes/probe.hpp"

// The order is that of running: a probe may use what stands above it.

namespace lk {

extern const Probe kHost;
extern const Probe kCpu;
extern const Probe kNuma;
extern const Probe kIrqs;
extern const Probe kPci;
extern const Probe kNvme;
extern const Probe kBlock;
extern const Probe kCpufreq;
extern const Probe kCpuidle;
extern const Probe kUncore;
extern const Probe kKernel;
extern const Probe kTuners;
extern const Probe kWorkloads;

std::span<const Probe> probes() {
  static const std::array<Probe, 13> table{kHost,   kCpu,    kNuma,     kIrqs,    kPci,
                                           kNvme,   kBlock,  kCpufreq,  kCpuidle, kUncore,
                                           kKernel, kTuners, kWorkloads};
  return table;
}

}  // namespace lk
