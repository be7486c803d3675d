// Who holds drives open, on which CPUs, and where their memory is; kernel exports and pools.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "probes/cgroup.hpp"
#include "probes/open_files.hpp"
#include "probes/zfs.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;

namespace {

const std::string kMounts =
    "20 1 0:20 / / rw - tmpfs t rw\n30 20 259:0 / /srv/db rw - xfs /dev/nvme0n1 rw\n";

// Controllers nvme0 and nvme1 with one disk each; nvme1's disk is called nvme0n1's neighbour.
void add_drive(test::Tree& tree, const std::string& name, const std::string& number) {
  const std::string base = "sys/class/nvme/" + name + '/';
  tree.file(base + "transport", "tcp\n");
  tree.file(base + "subsysnqn", "nqn." + name + '\n');
  tree.file(base + "cntlid", "1\n");
  tree.dir(base + name + "n1");
  tree.file("sys/block/" + name + "n1/dev", number + '\n');
}

void add_process(test::Tree& tree, const std::string& pid, const std::string& cgroup,
                 const std::vector<std::string>& opens, const std::string& cpus = "0-3") {
  const std::string base = "proc/" + pid;
  tree.file(base + "/comm", "worker\n");
  tree.file(base + "/cgroup", "0::" + cgroup + '\n');
  tree.dir(base + "/fd");
  int number = 3;
  for (const auto& each : opens) tree.link(base + "/fd/" + std::to_string(number++), each);
  tree.file(base + "/task/" + pid + "/status",
            "Cpus_allowed_list:\t" + cpus + "\nMems_allowed_list:\t0-1\n");
}

test::Tree& fill(test::Tree& tree) {
  tree.file("proc/self/mountinfo", kMounts);
  tree.file("proc/swaps", "Filename Type Size\n");
  tree.dir("proc/1/fd");
  add_drive(tree, "nvme0", "259:0");
  add_drive(tree, "nvme1", "259:1");
  return tree;
}

const Problem* problem_of(const Inventory& inventory, const std::string& field) {
  for (const auto& probe : inventory.probes) {
    for (const auto& each : probe.problems) {
      if (each.field == field) return &each;
    }
  }
  return nullptr;
}

std::string owners_of(const NvmeController& drive) {
  std::string text;
  for (const auto& each : drive.owners) {
    text += std::string(name_of(each.kind)) + ':' + each.name + ' ';
  }
  return text;
}

}  // namespace

TEST_CASE("cgroup: the unit is the first service or scope on the way") {
  const auto unit = [](const char* text) {
    const auto group = parse_cgroup(text);
    return group ? group->unit + (group->session ? " session" : "") : "none";
  };
  CHECK(unit("0::/system.slice/a.service\n") == "a.service");
  CHECK(unit("0::/system.slice/docker.service/deep/b.scope\n") == "docker.service");
  CHECK(unit("0::/user.slice/user-0.slice/session-4.scope") == "session-4.scope session");
  CHECK(unit("0::/user.slice/user-1.slice/user@1.service/app.slice/x.service") ==
        "user@1.service session");
  CHECK(unit("0::/docker/0a1b\n") == "");
  CHECK(unit("4:memory:/x.service\n1:name=systemd:/system.slice/c.service\n0::/\n") == "c.service");
  CHECK(unit("") == "none");
  CHECK(unit("4:memory:/x.service\n") == "none");
  CHECK(parse_cgroup("0::/a.slice/b.service/c")->unit_path == "/a.slice/b.service");
}

TEST_CASE("cgroup: memory by node is anon, file and huge pages") {
  const test::Tree tree{
      {"sys/fs/cgroup/a.service/memory.numa_stat",
       "anon N0=100 N1=7\nfile N0=20 N1=0\nshmem N0=5000 N1=0\n"},
      {"sys/fs/cgroup/a.service/hugetlb.2MB.numa_stat", "total=2097152 N0=0 N1=2097152\n"},
      {"sys/fs/cgroup/b.service/memory.numa_stat", "anon N0=x\n"}};
  const auto bytes = memory_of(tree.root(), "/a.service");
  REQUIRE(bytes);
  CHECK(*bytes == std::map<std::string, std::int64_t>{{"0", 120}, {"1", 2097159}});
  CHECK_FALSE(memory_of(tree.root(), "/b.service"));
  CHECK(memory_of(tree.root(), "/c.service").error().err == ENOENT);
}

TEST_CASE("workloads: a unit by device and by file, a session's process by device only") {
  test::Tree tree;
  fill(tree);
  add_process(tree, "100", "/system.slice/db.service", {"/srv/db/table", "/dev/null"}, "0");
  add_process(tree, "101", "/system.slice/db.service", {"/srv/db/other"}, "1");
  add_process(tree, "200", "/user.slice/session-1.scope", {"/dev/nvme1n1", "/srv/db/x"});
  add_process(tree, "300", "/system.slice/smartd.service", {"/dev/nvme1", "/dev/nvme11n1"});
  tree.file("sys/fs/cgroup/system.slice/db.service/memory.numa_stat", "anon N0=5\nfile N0=1\n");
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.workloads);
  REQUIRE(inventory.workloads->size() == 2);
  const auto& unit = inventory.workloads->at(0);
  CHECK(unit.drive == "nqn.nvme0/1");
  CHECK(unit.name == "db.service");
  CHECK(unit.kind == WorkloadKind::unit);
  CHECK(unit.processes == 2);
  CHECK_FALSE(unit.pid);
  CHECK(unit.via == std::vector<Via>{Via::file});
  CHECK(unit.cpus == CpuSet{0, 1});
  CHECK(unit.nodes == CpuSet{0, 1});
  CHECK(unit.memory_bytes == std::map<std::string, std::int64_t>{{"0", 6}});
  const auto& process = inventory.workloads->at(1);
  CHECK(process.drive == "nqn.nvme1/1");
  CHECK(process.name == "worker");
  CHECK(process.pid == 200);
  CHECK(process.cpus == CpuSet::range(0, 3));
  CHECK_FALSE(process.memory_bytes);
  CHECK(owners_of(inventory.nvme.controllers.at(0)) == "filesystem:/srv/db ");
  CHECK(owners_of(inventory.nvme.controllers.at(1)) == "process:worker (pid 200) ");
  CHECK(inventory.nvme.namespaces.at(1).in_use.verdict == InUseVerdict::in_use);
  CHECK(inventory.nvme.namespaces.at(1).in_use.reasons ==
        std::vector<std::string>{"process worker (pid 200)"});
  CHECK(problem_of(inventory, "workloads") == nullptr);
}

TEST_CASE("workloads: files on the boot drive are no use of it, its device is") {
  test::Tree tree;
  fill(tree);
  tree.file("proc/self/mountinfo", "20 1 259:0 / / rw - xfs /dev/nvme0n1 rw\n");
  add_process(tree, "100", "/system.slice/log.service", {"/var/log/x"});
  add_process(tree, "101", "/system.slice/raw.service", {"/dev/nvme0n1"});
  const auto inventory = collect(tree.root());
  CHECK(inventory.nvme.controllers.at(0).role == Role::boot);
  REQUIRE(inventory.workloads);
  REQUIRE(inventory.workloads->size() == 1);
  CHECK(inventory.workloads->front().name == "raw.service");
}

TEST_CASE("workloads: a file system that only a container has mounted") {
  test::Tree tree;
  fill(tree);
  add_process(tree, "100", "/system.slice/hidden.service", {"file on /dev/nvme1n1"});
  const auto inventory = collect(tree.root());
  REQUIRE(inventory.workloads);
  REQUIRE(inventory.workloads->size() == 1);
  CHECK(inventory.workloads->front().via == std::vector<Via>{Via::file});
  CHECK(owners_of(inventory.nvme.controllers.at(1)) == "process:hidden.service ");
  CHECK(inventory.nvme.namespaces.at(1).in_use.verdict == InUseVerdict::in_use);
}

TEST_CASE("workloads: through partitions and what is stacked on them, and by ngXnY") {
  test::Tree tree;
  fill(tree);
  tree.file("sys/block/nvme1n1/nvme1n1p1/partition", "1\n");
  tree.file("sys/block/nvme1n1/nvme1n1p1/dev", "259:5\n");
  tree.dir("sys/block/nvme1n1/nvme1n1p1/holders/dm-3");
  tree.file("sys/block/dm-3/dm/name", "ceph--1-osd--block--2\n");
  tree.file("sys/block/dm-3/dm/uuid", "LVM-abc\n");
  tree.file("sys/block/dm-3/dev", "254:3\n");
  tree.file("sys/devices/virtual/nvme0/ng7n1/dev", "241:0\n");
  tree.link("sys/class/nvme-generic/ng7n1", "../../devices/virtual/nvme0/ng7n1");
  add_process(tree, "100", "/system.slice/ceph-osd@3.service", {"/dev/dm-3"});
  add_process(tree, "101", "/system.slice/passthrough.service", {"/dev/ng7n1"});
  const auto inventory = collect(tree.root());
  CHECK(owners_of(inventory.nvme.controllers.at(0)) ==
        "filesystem:/srv/db process:passthrough.service ");
  CHECK(owners_of(inventory.nvme.controllers.at(1)) ==
        "ceph:ceph--1-osd--block--2 ceph:ceph-osd@3.service ");
}

TEST_CASE("workloads: processes that could not be looked at are counted, and none is no answer") {
  test::Tree some;
  fill(some);
  some.file("proc/50/comm", "secret\n");
  const auto inventory = collect(some.root());
  REQUIRE(inventory.workloads);
  const auto* problem = problem_of(inventory, "workloads");
  REQUIRE(problem != nullptr);
  CHECK(problem->message.starts_with("1 of 2 processes could not be looked at"));

  test::Tree nothing;
  add_drive(nothing, "nvme0", "259:0");
  nothing.file("proc/50/comm", "secret\n");
  const auto blind = collect(nothing.root());
  CHECK_FALSE(blind.workloads);
  CHECK(problem_of(blind, "workloads") != nullptr);
}

TEST_CASE("workloads: without drives there is nothing to use") {
  const test::Tree tree{{"proc/1/comm", "init\n"}};
  const auto inventory = collect(tree.root());
  CHECK_FALSE(inventory.workloads);
  REQUIRE(problem_of(inventory, "workloads") != nullptr);
  CHECK(problem_of(inventory, "workloads")->cause == Cause::not_applicable);
}

TEST_CASE("owners: what the kernel exports, and only while it is enabled") {
  test::Tree tree;
  fill(tree);
  const std::string base = "sys/kernel/config/nvmet/subsystems/";
  tree.file(base + "nqn.a/namespaces/3/device_path", "/dev/disk/by-id/x\n");
  tree.file(base + "nqn.a/namespaces/3/enable", "1\n");
  tree.link("dev/disk/by-id/x", "../../nvme1n1");
  tree.file(base + "nqn.b/namespaces/1/device_path", "/dev/nvme1n1\n");
  tree.file(base + "nqn.b/namespaces/1/enable", "0\n");
  tree.file("sys/kernel/config/target/core/iblock_0/disk/udev_path", "/dev/nvme1n1\n");
  tree.file("sys/kernel/config/target/core/iblock_0/disk/enable", "1\n");
  const auto inventory = collect(tree.root());
  CHECK(owners_of(inventory.nvme.controllers.at(1)) == "nvmet:nqn.a/3 lio:iblock_0/disk ");
  CHECK(inventory.nvme.namespaces.at(1).in_use.verdict == InUseVerdict::in_use);
}

TEST_CASE("owners: a pool's disks as udev noted them; the others stay unknown") {
  test::Tree tree;
  fill(tree);
  tree.file("proc/self/mountinfo", "20 1 0:20 / / rw - zfs tank/root rw\n");
  tree.dir("proc/spl/kstat/zfs/tank");
  tree.file("proc/spl/kstat/zfs/arcstats", "x\n");
  tree.file("run/udev/data/b259:1",
            "S:disk/by-id/x\nE:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=tank\n");
  tree.file("run/udev/data/b259:0", "E:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=exported\n");
  const auto inventory = collect(tree.root());
  CHECK(owners_of(inventory.nvme.controllers.at(0)) == "");
  CHECK(inventory.nvme.controllers.at(0).role == Role::unknown);
  CHECK(inventory.nvme.namespaces.at(0).in_use.verdict == InUseVerdict::unknown);
  CHECK(owners_of(inventory.nvme.controllers.at(1)) == "zfs:tank filesystem:/ ");
  CHECK(inventory.nvme.controllers.at(1).role == Role::boot);
  CHECK(zfs_lines("E:ID_SERIAL=S1\nE:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=tank\n") ==
        "E:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=tank\n");
  CHECK(zfs_lines("E:ID_SERIAL=S1\nE:ID_FS_TYPE=xfs\n").empty());
}

TEST_CASE("owners: other devices stacked on a disk are not device mapper's") {
  test::Tree tree;
  fill(tree);
  tree.dir("sys/block/nvme1n1/holders/bcache0");
  tree.file("sys/block/bcache0/dev", "252:0\n");
  CHECK(owners_of(collect(tree.root()).nvme.controllers.at(1)) == "block:bcache0 ");
}

TEST_CASE("open files: what the descriptors of this process lead to") {
  const auto root = Root::live();
  REQUIRE(root);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int exe = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const auto files = root->open_files("proc/self/fd");
  ::close(exe);
  ::close(null);
  REQUIRE(files);
  int seen = 0;
  for (const auto& each : *files) {
    if (each.name == std::to_string(null)) {
      CHECK(each.is_character());
      CHECK_FALSE(each.is_block());
      CHECK(each.number == "1:3");
      ++seen;
    }
    if (each.name == std::to_string(exe)) {
      CHECK(each.is_regular());
      ++seen;
    }
  }
  CHECK(seen == 2);
  CHECK(root->open_files("proc/999999999/fd").error().err == ENOENT);
  CHECK(test::Tree{}.root().open_files("sys").error().err == ENOTSUP);
}
