#include "probes/node_attribution.hpp"

#include <doctest/doctest.h>

using namespace lk;

namespace {

NumaNode node(std::int64_t id, const char* cpus, std::int64_t bytes = 1 << 30) {
  NumaNode out;
  out.id = id;
  out.cpus = *CpuSet::parse_list(cpus);
  out.memory_bytes = bytes;
  return out;
}

Numa two_nodes() {
  Numa numa;
  numa.nodes = {node(0, "0-7"), node(1, "8-15")};
  return numa;
}

Numa one_node() {
  Numa numa;
  numa.nodes = {node(0, "0-7")};
  return numa;
}

NodeEvidence evidence(std::optional<std::int64_t> reported,
                      std::vector<std::optional<std::int64_t>> ports = {},
                      const char* kernel = "6.12.57") {
  NodeEvidence out;
  out.reported = reported;
  out.ports = std::move(ports);
  out.kernel = kernel;
  return out;
}

}  // namespace

TEST_CASE("node: what firmware told is believed") {
  const auto verdict = attribute_node(evidence(1, {1}), two_nodes());
  CHECK(verdict.node == 1);
  CHECK(verdict.source == NodeSource::device);
  CHECK(verdict.confidence == Confidence::high);
}

TEST_CASE("node: -1 takes the nearest port that knows, else stays unknown") {
  const auto bridge = attribute_node(evidence(-1, {0, 1, -1}), two_nodes());
  CHECK(bridge.node == 1);
  CHECK(bridge.source == NodeSource::bridge);
  const auto unknown = attribute_node(evidence(-1, {-1, std::nullopt}), two_nodes());
  CHECK_FALSE(unknown.node);
  CHECK(unknown.source == NodeSource::unknown);
  CHECK(unknown.confidence == Confidence::low);
  CHECK_FALSE(unknown.why.empty());
}

TEST_CASE("node: with one node of CPUs there is no choice, memory-only nodes aside") {
  CHECK(attribute_node(evidence(-1, {-1}), one_node()).source == NodeSource::only_node);
  Numa expander = one_node();
  expander.nodes.push_back(node(1, ""));
  const auto verdict = attribute_node(evidence(-1, {-1}), expander);
  CHECK(verdict.node == 0);
  CHECK(verdict.source == NodeSource::only_node);
}

TEST_CASE("node: an old kernel's first node is not believed") {
  const auto old = attribute_node(evidence(0, {-1}, "5.10.0-28-amd64"), two_nodes());
  CHECK_FALSE(old.node);
  CHECK(old.source == NodeSource::kernel_default);
  CHECK(old.confidence == Confidence::low);
  // Not the first node, a port that has one, a kernel with the fix, or one node only: believed.
  CHECK(attribute_node(evidence(1, {-1}, "5.10.0"), two_nodes()).node == 1);
  CHECK(attribute_node(evidence(0, {0}, "5.10.0"), two_nodes()).source == NodeSource::device);
  CHECK(attribute_node(evidence(0, {-1}, "6.12.1"), two_nodes()).source == NodeSource::device);
  CHECK(attribute_node(evidence(0, {-1}, "5.10.0"), one_node()).source == NodeSource::only_node);
  // No port at all says nothing against the node.
  CHECK(attribute_node(evidence(0, {}, "5.10.0"), two_nodes()).source == NodeSource::device);
}

TEST_CASE("node: the first memory node counts, not node 0") {
  Numa numa;
  numa.nodes = {node(0, "0-7", 0), node(1, "8-15")};
  CHECK(attribute_node(evidence(1, {-1}, "5.4.0"), numa).source == NodeSource::kernel_default);
  CHECK(attribute_node(evidence(0, {-1}, "5.4.0"), numa).source == NodeSource::device);
}

TEST_CASE("node: the configuration wins, unless its node is not there") {
  auto told = evidence(0, {0});
  told.override_node = 1;
  CHECK(attribute_node(told, two_nodes()).node == 1);
  CHECK(attribute_node(told, two_nodes()).source == NodeSource::override_);
  told.override_node = 7;
  CHECK(attribute_node(told, two_nodes()).node == 0);
}

TEST_CASE("node: a node that is not online, and a file that is not there") {
  CHECK_FALSE(attribute_node(evidence(5, {5}), two_nodes()).node);
  CHECK_FALSE(attribute_node(evidence(std::nullopt), two_nodes()).node);
  CHECK(attribute_node(evidence(std::nullopt), one_node()).source == NodeSource::only_node);
  CHECK(attribute_node(evidence(1), Numa{}).node == 1);
  CHECK_FALSE(attribute_node(evidence(-1), Numa{}).node);
}

TEST_CASE("node: which kernels may name the first node") {
  CHECK(kernel_may_default_node(std::nullopt));
  CHECK(kernel_may_default_node("6.1.55"));
  CHECK_FALSE(kernel_may_default_node("6.1.56"));
  CHECK(kernel_may_default_node("6.1.0-40-amd64"));  // Debian's release hides the real version
  CHECK(kernel_may_default_node("6.5.5"));
  CHECK_FALSE(kernel_may_default_node("6.5.6"));
  CHECK_FALSE(kernel_may_default_node("6.6.0-rc1"));
  CHECK_FALSE(kernel_may_default_node("7.2.13"));
  CHECK(kernel_may_default_node("rubbish"));
}
