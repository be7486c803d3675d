// The one list of knobs. A new one is a file in knobs/ and two lines here, sorted by id.
#include <algorithm>
#include <array>

#include "tuners/knob.hpp"

namespace lk {

extern const Knob kBlkIostats;
extern const Knob kBlkMaxSectors;
extern const Knob kBlkNomerges;
extern const Knob kBlkNrRequests;
extern const Knob kBlkPoll;
extern const Knob kBlkReadAhead;
extern const Knob kBlkRqAffinity;
extern const Knob kBlkScheduler;
extern const Knob kBlkWbt;
extern const Knob kBlkWriteCacheView;
extern const Knob kCpuDriverMode;
extern const Knob kCpuEnumeration;
extern const Knob kCpuEpb;
extern const Knob kCpuEpp;
extern const Knob kCpuGovernor;
extern const Knob kCpuIsolation;
extern const Knob kCpuSmt;
extern const Knob kCpuTurbo;
extern const Knob kEnvLocked;
extern const Knob kEnvRivals;
extern const Knob kIdleExitLatency;
extern const Knob kIdlePolling;
extern const Knob kIrqBalancer;
extern const Knob kIrqIsolated;
extern const Knob kIrqQueueLocal;
extern const Knob kKernelAioMax;
extern const Knob kKernelClocksource;
extern const Knob kKernelIoUring;
extern const Knob kKernelIommu;
extern const Knob kKernelMitigations;
extern const Knob kKernelWatchdogs;
extern const Knob kMemDirty;
extern const Knob kMemNodeMemory;
extern const Knob kMemNumaBalancing;
extern const Knob kMemSwappiness;
extern const Knob kMemThp;
extern const Knob kMemZoneReclaim;
extern const Knob kNumaClustering;
extern const Knob kNumaSrat;
extern const Knob kNvmeApst;
extern const Knob kNvmeLink;
extern const Knob kNvmeNodeBalance;
extern const Knob kNvmeNodeKnown;
extern const Knob kNvmeQueues;
extern const Knob kNvmeState;
extern const Knob kPcieAspmLink;
extern const Knob kPcieAspmPolicy;
extern const Knob kPcieRuntimePm;
extern const Knob kUncoreRange;
extern const Knob kWorkloadLocal;

namespace {

constexpr std::array kKnobs{
    &kBlkIostats,
    &kBlkMaxSectors,
    &kBlkNomerges,
    &kBlkNrRequests,
    &kBlkPoll,
    &kBlkReadAhead,
    &kBlkRqAffinity,
    &kBlkScheduler,
    &kBlkWbt,
    &kBlkWriteCacheView,
    &kCpuDriverMode,
    &kCpuEnumeration,
    &kCpuEpb,
    &kCpuEpp,
    &kCpuGovernor,
    &kCpuIsolation,
    &kCpuSmt,
    &kCpuTurbo,
    &kEnvLocked,
    &kEnvRivals,
    &kIdleExitLatency,
    &kIdlePolling,
    &kIrqBalancer,
    &kIrqIsolated,
    &kIrqQueueLocal,
    &kKernelAioMax,
    &kKernelClocksource,
    &kKernelIoUring,
    &kKernelIommu,
    &kKernelMitigations,
    &kKernelWatchdogs,
    &kMemDirty,
    &kMemNodeMemory,
    &kMemNumaBalancing,
    &kMemSwappiness,
    &kMemThp,
    &kMemZoneReclaim,
    &kNumaClustering,
    &kNumaSrat,
    &kNvmeApst,
    &kNvmeLink,
    &kNvmeNodeBalance,
    &kNvmeNodeKnown,
    &kNvmeQueues,
    &kNvmeState,
    &kPcieAspmLink,
    &kPcieAspmPolicy,
    &kPcieRuntimePm,
    &kUncoreRange,
    &kWorkloadLocal,
};

}  // namespace

std::span<const Knob* const> knobs() {
  return kKnobs;
}

const Knob* find_knob(std::string_view id) {
  const auto found =
      std::find_if(kKnobs.begin(), kKnobs.end(), [&](const Knob* knob) { return knob->id == id; });
  return found == kKnobs.end() ? nullptr : *found;
}

}  // namespace lk
