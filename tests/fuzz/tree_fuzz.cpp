#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "base/text.hpp"
#include "probes/probe.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace lk;

namespace {

// Files that probes read, one of each kind of content.
constexpr std::array kFiles{
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/possible",
    "sys/devices/system/cpu/present",
    "sys/devices/system/cpu/isolated",
    "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "sys/devices/system/cpu/cpu0/topology/package_cpus_list",
    "sys/devices/system/cpu/cpu0/topology/physical_package_id",
    "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
    "sys/devices/system/cpu/cpufreq/policy0/affected_cpus",
    "sys/devices/system/node/node0/distance",
    "sys/devices/system/node/node0/cpulist",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/online",
    "sys/bus/pci/devices/0000:3b:00.0/class",
    "sys/bus/pci/devices/0000:3b:00.0/config",
    "sys/bus/pci/devices/0000:3b:00.0/current_link_speed",
    "sys/bus/pci/devices/0000:3b:00.0/current_link_width",
    "sys/bus/pci/devices/0000:3b:00.0/max_link_speed",
    "sys/bus/pci/devices/0000:3b:00.0/numa_node",
    "sys/bus/pci/devices/0000:3b:00.0/local_cpulist",
    "sys/class/nvme/nvme0/model",
    "sys/class/nvme/nvme0/serial",
    "sys/class/nvme/nvme0/transport",
    "sys/class/nvme/nvme0/address",
    "sys/class/nvme/nvme0/state",
    "sys/block/nvme0n1/size",
    "sys/block/nvme0n1/wwid",
    "sys/block/nvme0n1/queue/scheduler",
    "sys/block/nvme0n1/queue/nr_requests",
    "sys/module/pcie_aspm/parameters/policy",
    "sys/kernel/mm/transparent_hugepage/enabled",
    "proc/cpuinfo",
    "proc/interrupts",
    "proc/irq/30/smp_affinity_list",
    "proc/irq/30/effective_affinity_list",
    "proc/mounts",
    "proc/swaps",
    "proc/cmdline",
    "proc/self/status",
    "proc/sys/vm/swappiness",
};

void make_folders(const std::string& path) {
  for (auto at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    ::mkdir(path.substr(0, at).c_str(), 0700);
  }
}

const std::string& top() {
  static const std::string dir = [] {
    std::string name = "/dev/shm/lanekeeper-fuzz-XXXXXX";
    fuzz::must(::mkdtemp(name.data()) != nullptr, "a folder for the tree");
    for (const auto* each : kFiles) make_folders(name + '/' + each);
    return name;
  }();
  return dir;
}

}  // namespace

// The input, cut at every 0xFF, fills the files in turn; the last piece fills the rest. Whatever
// they hold, there is an inventory, and it comes back the same from its JSON.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto pieces = split(fuzz::text(data, size), '\xff');
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    std::ofstream(top() + '/' + kFiles.at(i), std::ios::trunc)
        << pieces[std::min(i, pieces.size() - 1)];
  }
  const auto root = Root::captured(top());
  fuzz::must(root.ok(), "the tree can be read");
  const auto json = inventory_json(collect(*root));
  const auto again = inventory_from_json(json);
  fuzz::must(again.ok() && inventory_json(*again) == json, "the inventory comes back the same");
  return 0;
}
