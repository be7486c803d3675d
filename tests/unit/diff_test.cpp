#include "service/diff.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/unit/sample_host.hpp"

using namespace lk;

namespace {

const Difference* find(const InventoryDiff& diff, std::string_view field) {
  const auto found = std::find_if(diff.differences.begin(), diff.differences.end(),
                                  [&](const Difference& each) { return each.field == field; });
  return found == diff.differences.end() ? nullptr : &*found;
}

NvmeController& drive(Inventory& host, std::size_t i) {
  return host.nvme.controllers.at(i);
}

// The sample host, with what it leaves unknown filled in.
Inventory whole_host() {
  auto host = sample_host();
  host.host.bios_version = "1.0.0";
  host.host.kernel = "6.1.0-9";
  for (auto& each : host.nvme.controllers) each.firmware = "OLD1";
  drive(host, 0).link.width = 4;
  return host;
}

}  // namespace

TEST_CASE("diff: two readings of one host differ in nothing") {
  const auto host = whole_host();
  const auto same = diff(host, host);
  CHECK(same.differences.empty());
  CHECK(same.incomparable.empty());
}

TEST_CASE("diff: what any two boots differ in is left out") {
  const auto before = whole_host();
  auto after = before;
  after.boot_id = "another";
  after.generation = 17;
  after.collected_at = "2031-01-01T00:00:00Z";
  drive(after, 0).name = "nvme7";
  for (auto& irq : after.irqs) irq.irq += 100;
  for (auto& queue : drive(after, 0).queues) queue.irq = 999;
  for (auto& probe : after.probes) probe.duration_us += 5;
  after.numa.nodes.at(0).memory_bytes = *after.numa.nodes.at(0).memory_bytes - 40960;
  CHECK(diff(before, after).differences.empty());
}

TEST_CASE("diff: firmware, kernel, node, slot, link and settings are told, by subject") {
  auto before = whole_host();
  drive(before, 0).slot = "3";
  drive(before, 1).slot = "4";
  auto after = before;
  after.host.bios_version = "2.1.0";
  after.host.kernel = "6.12.0-1";
  drive(after, 0).firmware = "NEW1";
  drive(after, 0).effective_node = 3;
  drive(after, 0).slot = "7";
  drive(after, 0).link.width = 2;
  after.cpufreq.policies.at(0).governor = "performance";
  after.cpufreq.policies.at(1).governor = "performance";
  const auto found = diff(before, after);
  REQUIRE(find(found, "host.bios_version"));
  CHECK(find(found, "host.bios_version")->subject == Subject::firmware);
  CHECK(find(found, "host.kernel")->to == "6.12.0-1");
  CHECK(find(found, "nvme.controllers[].firmware")->subject == Subject::drive);
  CHECK(find(found, "nvme.controllers[].effective_node")->subject == Subject::node);
  const auto* slot = find(found, "nvme.controllers[].slot");
  REQUIRE(slot);
  CHECK(slot->subject == Subject::slot);
  CHECK(slot->from == "3");
  CHECK(slot->to == "7");
  CHECK(slot->targets == std::vector<std::string>{"nvme:" + drive(after, 0).id});
  CHECK(find(found, "nvme.controllers[].link.width")->subject == Subject::link);
  const auto* governor = find(found, "cpufreq.policies[].governor");
  REQUIRE(governor);
  CHECK(governor->targets.size() == 2);
  CHECK(std::is_sorted(found.differences.begin(), found.differences.end(),
                       [](const auto& a, const auto& b) { return a.subject < b.subject; }));
}

TEST_CASE("diff: a drive is known by its serial wherever it is plugged in") {
  const auto before = whole_host();
  auto after = before;
  drive(after, 0).id = "0000:ff:00.0";
  drive(after, 0).pci_address = "0000:ff:00.0";
  const auto found = diff(before, after);
  const auto* moved = find(found, "nvme.controllers[].pci_address");
  REQUIRE(moved);
  CHECK(moved->subject == Subject::slot);
  CHECK(moved->from == before.nvme.controllers.at(0).pci_address);
  CHECK(std::none_of(found.differences.begin(), found.differences.end(),
                     [](const auto& each) { return each.turn != Turn::changed; }));
}

TEST_CASE("diff: drives that come and go are one line each") {
  const auto before = whole_host();
  auto after = before;
  const auto gone = drive(after, 1);
  after.nvme.controllers.erase(after.nvme.controllers.begin() + 1);
  const auto found = diff(before, after);
  const auto* removed = find(found, "nvme.controllers[]");
  REQUIRE(removed);
  CHECK(removed->turn == Turn::removed);
  CHECK(removed->targets == std::vector<std::string>{"nvme:" + gone.id});
  CHECK(removed->from->find(*gone.serial) != std::string::npos);
  const auto back = diff(after, before);
  REQUIRE(find(back, "nvme.controllers[]"));
  CHECK(find(back, "nvme.controllers[]")->turn == Turn::added);
}

TEST_CASE("diff: a value that one side could not read is no difference of the host") {
  const auto before = whole_host();
  auto after = before;
  drive(after, 0).firmware.reset();
  const auto found = diff(before, after);
  CHECK(find(found, "nvme.controllers[].firmware") == nullptr);
  REQUIRE(found.incomparable.size() == 1);
  CHECK(found.incomparable[0].unknown_in == "to");
}

TEST_CASE("diff: two ports of one drive are two controllers") {
  auto before = whole_host();
  drive(before, 1).serial = drive(before, 0).serial;
  auto after = before;
  drive(after, 1).firmware = "NEW2";
  const auto found = diff(before, after);
  REQUIRE(find(found, "nvme.controllers[].firmware"));
  CHECK(find(found, "nvme.controllers[].firmware")->targets ==
        std::vector<std::string>{"nvme:" + drive(after, 1).id});
}
