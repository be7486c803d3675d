#include "probes/node_attribution.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace lk {

namespace {

const NumaNode* find_node(const Numa& numa, std::int64_t id) {
  const auto found = std::find_if(numa.nodes.begin(), numa.nodes.end(),
                                  [id](const NumaNode& node) { return node.id == id; });
  return found == numa.nodes.end() ? nullptr : &*found;
}

// A node that an earlier probe could not read still counts as there.
bool plausible(const Numa& numa, std::int64_t id) {
  return numa.nodes.empty() || find_node(numa, id) != nullptr;
}

// The only node with CPUs, if there is exactly one and every node's CPUs are known.
std::optional<std::int64_t> only_cpu_node(const Numa& numa) {
  std::optional<std::int64_t> only;
  for (const auto& node : numa.nodes) {
    if (!node.cpus) return std::nullopt;
    if (node.cpus->empty()) continue;
    if (only) return std::nullopt;
    only = node.id;
  }
  return only;
}

std::optional<std::int64_t> first_memory_node(const Numa& numa) {
  for (const auto& node : numa.nodes) {
    if (!node.memory_bytes || *node.memory_bytes > 0) return node.id;
  }
  return std::nullopt;
}

// Every port above is known, and none of them has a node.
bool ports_deny(const NodeEvidence& evidence) {
  return !evidence.ports.empty() &&
         std::all_of(evidence.ports.begin(), evidence.ports.end(),
                     [](const auto& node) { return node == std::int64_t{-1}; });
}

NodeVerdict known(std::int64_t node, NodeSource source) {
  return {node, source, Confidence::high, {}};
}

NodeVerdict unknown(std::string why, NodeSource source = NodeSource::unknown) {
  return {std::nullopt, source, Confidence::low, std::move(why)};
}

}  // namespace

bool kernel_may_default_node(const std::optional<std::string>& release) {
  if (!release) return true;
  std::array<int, 3> version{};
  const char* at = release->data();
  const char* end = at + release->size();
  for (auto& part : version) {
    const auto [next, code] = std::from_chars(at, end, part);
    if (code != std::errc{}) break;
    at = next;
    if (at == end || *at != '.') break;
    ++at;
  }
  if (version >= std::array{6, 6, 0}) return false;
  if (version[0] == 6 && version[1] == 1 && version[2] >= 56) return false;
  if (version[0] == 6 && version[1] == 5 && version[2] >= 6) return false;
  return true;
}

NodeVerdict attribute_node(const NodeEvidence& evidence, const Numa& numa) {
  if (evidence.override_node && plausible(numa, *evidence.override_node)) {
    return known(*evidence.override_node, NodeSource::override_);
  }
  const auto only = only_cpu_node(numa);
  const bool reported = evidence.reported && *evidence.reported >= 0;
  if (reported && !plausible(numa, *evidence.reported)) {
    return unknown("the kernel names node " + std::to_string(*evidence.reported) +
                   ", which is not online");
  }
  if (reported && ports_deny(evidence)) {
    if (only == evidence.reported) return known(*only, NodeSource::only_node);
    if (evidence.reported == first_memory_node(numa) && kernel_may_default_node(evidence.kernel)) {
      return unknown(
          "the kernel names its first memory node although no port above has a node; "
          "kernels before 6.1.56, 6.5.6 and 6.6 do so for want of a better one",
          NodeSource::kernel_default);
    }
  }
  if (reported) return known(*evidence.reported, NodeSource::device);
  const auto nearest =
      std::find_if(evidence.ports.rbegin(), evidence.ports.rend(),
                   [&](const auto& port) { return port && *port >= 0 && plausible(numa, *port); });
  if (nearest != evidence.ports.rend()) return known(**nearest, NodeSource::bridge);
  if (only) return known(*only, NodeSource::only_node);
  if (!evidence.reported) return unknown("the kernel shows no numa_node of it");
  return unknown(
      "firmware names no node for it and there are several; the configuration can "
      "(numa_nodes)");
}

}  // namespace lk
