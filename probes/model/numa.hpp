// NUMA nodes and what kind of sub-NUMA clustering, if any, they come from.
#pragma once

#include "base/fields.hpp"

namespace lk {

struct HugePages {
  std::int64_t page_bytes = 0;
  std::optional<std::int64_t> total;

  static constexpr std::string_view kSchema = "HugePages";
  template <class Self = HugePages>
  static constexpr auto fields() {
    return std::tuple{
        field("page_bytes", &Self::page_bytes, "size of one page"),
        field("total", &Self::total, "pages reserved; nr_hugepages"),
    };
  }
};

struct NumaNode {
  std::int64_t id = 0;
  std::optional<CpuSet> cpus;  // online; empty on a memory-only node
  std::optional<std::int64_t> memory_bytes;
  std::vector<std::int64_t> packages;
  std::map<std::string, std::int64_t> distances;  // by node id
  std::vector<HugePages> hugepages;

  static constexpr std::string_view kSchema = "NumaNode";
  template <class Self = NumaNode>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "node number, may have gaps"),
        field("cpus", &Self::cpus, "online CPUs, empty on a memory-only node; cpulist"),
        field("memory_bytes", &Self::memory_bytes, "MemTotal; node*/meminfo"),
        field("packages", &Self::packages, "packages whose CPUs it holds"),
        field("distances", &Self::distances, "to each online node by its id; node*/distance"),
        field("hugepages", &Self::hugepages, "node*/hugepages"),
    };
  }
};

enum class ClusteringKind { unknown, none, snc, cod, nps, l3_as_numa, interleaved, asymmetric };
constexpr auto names(ClusteringKind) {
  using K = ClusteringKind;
  return EnumNames<K, 8>{{{K::none, "none"},
                          {K::snc, "snc"},
                          {K::cod, "cod"},
                          {K::nps, "nps"},
                          {K::l3_as_numa, "l3_as_numa"},
                          {K::interleaved, "interleaved"},
                          {K::asymmetric, "asymmetric"},
                          {K::unknown, "unknown"}}};
}

struct Clustering {
  ClusteringKind kind = ClusteringKind::unknown;
  std::optional<std::int64_t> nodes_per_package;
  std::vector<std::string> ambiguous_with;
  std::vector<std::string> evidence;

  static constexpr std::string_view kSchema = "Clustering";
  template <class Self = Clustering>
  static constexpr auto fields() {
    return std::tuple{
        field("kind", &Self::kind,
              "none; snc (Intel sub-NUMA clustering); cod (cluster on die); nps (AMD nodes per "
              "socket); l3_as_numa; interleaved (nodes or memory span packages); asymmetric; "
              "unknown"),
        field("nodes_per_package", &Self::nodes_per_package,
              "nodes with CPUs in each package; null where it means nothing"),
        field("ambiguous_with", &Self::ambiguous_with, "what looks exactly the same from Linux"),
        field("evidence", &Self::evidence, "what the verdict rests on"),
    };
  }
};

struct Numa {
  std::vector<NumaNode> nodes;
  Clustering clustering;
  std::vector<std::string> warnings;

  static constexpr std::string_view kSchema = "Numa";
  template <class Self = Numa>
  static constexpr auto fields() {
    return std::tuple{
        field("nodes", &Self::nodes, "online nodes, ascending"),
        field("clustering", &Self::clustering, "sub-NUMA clustering"),
        field("warnings", &Self::warnings, "what does not fit together in the firmware's tables"),
    };
  }
};

}  // namespace lk
