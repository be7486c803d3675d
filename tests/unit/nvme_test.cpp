#include <doctest/doctest.h>

#include "probes/nvme_queues.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

const std::string kPort = "sys/devices/pci0000:3a/0000:3a:01.0";
const std::string kDrive = kPort + "/0000:3b:00.0";

void add_drive(test::Tree& tree, const std::string& driver) {
  tree.file(kPort + "/class", "0x060400\n");
  tree.file(kPort + "/numa_node", "0\n");
  tree.file(kDrive + "/class", "0x010802\n");
  tree.file(kDrive + "/vendor", "0x1e0f\n");
  tree.file(kDrive + "/numa_node", "0\n");
  tree.file(kDrive + "/current_link_speed", "16.0 GT/s PCIe\n");
  if (!driver.empty()) tree.link(kDrive + "/driver", "../../../../bus/pci/drivers/" + driver);
  tree.link("sys/bus/pci/devices/0000:3b:00.0",
            "../../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0");
}

// Controller nvme5 on that drive: its number is none of its disk's.
void add_controller(test::Tree& tree, const std::string& disk) {
  const std::string base = kDrive + "/nvme/nvme5";
  tree.file(base + "/transport", "pcie\n");
  tree.file(base + "/serial", "  S123  \n");
  tree.file(base + "/queue_count", "3\n");
  tree.file(base + "/" + disk + "/wwid", "eui.01\n");
  tree.file(base + "/" + disk + "/size", "8\n");
  tree.file(base + "/" + disk + "/queue/scheduler", "[none] mq-deadline\n");
  tree.dir(base + "/" + disk + "/mq/0/cpu0");
  tree.dir(base + "/" + disk + "/mq/0/cpu8");
  tree.file(base + "/" + disk + "/mq/1/cpu_list", "1, 9\n");
  tree.link(base + "/device", "../../../0000:3b:00.0");
  tree.link("sys/class/nvme/nvme5",
            "../../devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0/nvme/nvme5");
  tree.link(base + "/" + disk + "/device", "../../nvme5");
  tree.link("sys/block/" + disk, "../" + base.substr(4) + "/" + disk);
}

Irq interrupt(const char* effective, std::optional<bool> fired) {
  Irq irq;
  irq.irq = 60;
  irq.affinity = CpuSet{0, 8};
  irq.effective_cpus = *CpuSet::parse_list(effective);
  irq.managed = true;
  irq.fired = fired;
  return irq;
}

NvmeQueue with_interrupt(const Irq* irq) {
  const test::Tree tree;
  const Root root = tree.root();
  Inventory inventory;
  const CollectOptions options;
  ProbeContext context(root, inventory, options);
  NvmeQueue queue;
  queue.cpus = CpuSet{0, 8};
  take_interrupt(context, queue, irq);
  return queue;
}

bool has_problem(const Inventory& inventory, const std::string& field, Cause cause) {
  for (const auto& probe : inventory.probes) {
    for (const auto& each : probe.problems) {
      if (each.field == field && each.cause == cause) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("queue: local where the interrupt arrives at a CPU that submits") {
  const auto local = interrupt("8", true);
  CHECK(with_interrupt(&local).local == true);
  const auto remote = interrupt("3", true);
  CHECK(with_interrupt(&remote).local == false);
  CHECK(with_interrupt(&remote).managed == true);
  const auto half = interrupt("0,3", true);
  CHECK(with_interrupt(&half).local == false);
}

TEST_CASE("queue: an interrupt that never fired or is not known says nothing") {
  const auto silent = interrupt("3", false);
  CHECK_FALSE(with_interrupt(&silent).local);
  const auto unsure = interrupt("3", std::nullopt);
  CHECK_FALSE(with_interrupt(&unsure).local);
  const auto nowhere = interrupt("", true);
  CHECK_FALSE(with_interrupt(&nowhere).local);
  CHECK_FALSE(with_interrupt(nullptr).irq);
}

TEST_CASE("queue: VMD's vectors are not the drive's") {
  auto irq = interrupt("8", true);
  irq.chip = "VMD-MSI";
  const auto queue = with_interrupt(&irq);
  CHECK(queue.irq == 60);
  CHECK_FALSE(queue.affinity);
  CHECK_FALSE(queue.effective_cpus);
  CHECK_FALSE(queue.local);
}

TEST_CASE("nvme: disks belong to the controller above them, whatever their numbers") {
  test::Tree tree;
  add_drive(tree, "nvme");
  add_controller(tree, "nvme0n1");
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.nvme.controllers.size() == 1);
  const auto& drive = inventory.nvme.controllers[0];
  CHECK(drive.id == "0000:3b:00.0");
  CHECK(drive.name == "nvme5");
  CHECK(drive.serial == "S123");
  REQUIRE(drive.queues.size() == 2);
  CHECK(drive.queues[0].queue == 1);
  CHECK(drive.queues[0].cpus == CpuSet{0, 8});
  CHECK(drive.queues[1].cpus == CpuSet{1, 9});  // from cpu_list
  REQUIRE(inventory.nvme.namespaces.size() == 1);
  CHECK(inventory.nvme.namespaces[0].paths[0].controller == "nvme5");
  CHECK(inventory.nvme.namespaces[0].size_bytes == 4096);
  CHECK(has_problem(inventory, "nvme.controllers[].model", Cause::absent));
}

TEST_CASE("nvme: a head has the queue of its path, and shared is not guessed") {
  test::Tree tree;
  add_drive(tree, "nvme");
  add_controller(tree, "nvme3c5n1");
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.nvme.namespaces.size() == 1);
  const auto& head = inventory.nvme.namespaces[0];
  CHECK(head.name == "nvme3n1");
  CHECK(head.paths[0].name == "nvme3c5n1");
  REQUIRE(head.queue);
  CHECK(head.queue->device == "nvme3c5n1");
  CHECK(head.queue->scheduler == "none");
  CHECK_FALSE(head.shared);
}

TEST_CASE("nvme: functions that vfio or nobody has are seen on PCI") {
  test::Tree owned;
  add_drive(owned, "vfio-pci");
  const auto vfio = collect(owned.root()).nvme.controllers;
  REQUIRE(vfio.size() == 1);
  CHECK_FALSE(vfio[0].name);
  CHECK(vfio[0].driver == "vfio-pci");
  REQUIRE(vfio[0].owners.size() == 1);
  CHECK(vfio[0].owners[0].kind == OwnerKind::vfio);
  CHECK_FALSE(vfio[0].link.speed_gts);

  test::Tree idle;
  add_drive(idle, "");
  const auto free = collect(idle.root()).nvme.controllers;
  REQUIRE(free.size() == 1);
  CHECK_FALSE(free[0].driver);
  CHECK(free[0].owners.empty());
  CHECK(free[0].role == Role::unknown);
  CHECK(free[0].link.speed_gts == 16);
}

TEST_CASE("nvme: a fabrics controller is named by subsystem and number") {
  test::Tree tree{{"sys/class/nvme/nvme2/transport", "tcp\n"},
                  {"sys/class/nvme/nvme2/subsysnqn", "nqn.2020-01.com.example:x\n"},
                  {"sys/class/nvme/nvme2/cntlid", "7\n"},
                  {"sys/class/nvme/nvme2/address", "traddr=192.0.2.1,trsvcid=4420\n"}};
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.nvme.controllers.size() == 1);
  CHECK(inventory.nvme.controllers[0].id == "nqn.2020-01.com.example:x/7");
  CHECK_FALSE(inventory.nvme.controllers[0].pci_address);
  CHECK(has_problem(inventory, "nvme.controllers[].pci_address", Cause::not_applicable));
}

TEST_CASE("nvme: a device that hung is left out, and nothing else is") {
  test::Tree tree;
  add_drive(tree, "nvme");
  add_controller(tree, "nvme0n1");
  CollectOptions options;
  options.skip = {{"block:nvme0n1", {}}, {"nvme:nvme5", {}}};
  std::vector<std::string> entered;
  options.announce = [&](const std::string& unit) { entered.push_back(unit); };
  const auto inventory = collect(tree.root(), options);
  REQUIRE(inventory.nvme.controllers.size() == 1);
  CHECK(inventory.nvme.controllers[0].serial == "S123");
  CHECK(inventory.nvme.controllers[0].path.empty());
  CHECK(inventory.nvme.controllers[0].queues.empty());
  REQUIRE(inventory.nvme.namespaces.size() == 1);
  CHECK(inventory.nvme.namespaces[0].wwid == "eui.01");
  CHECK_FALSE(inventory.nvme.namespaces[0].queue);
  REQUIRE(inventory.block.size() == 1);
  CHECK_FALSE(inventory.block[0].queue);
  CHECK(has_problem(inventory, "nvme.namespaces[].queue", Cause::hung));
  CHECK(has_problem(inventory, "nvme.controllers[].path", Cause::hung));
  for (const auto& unit : entered) CHECK_FALSE(options.skip.contains(unit));
}
