#include "service/capture.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "service/capture_redact.hpp"
#include "service/secret_shapes.hpp"
#include "tests/unit/tree.hpp"

using namespace lk;
using namespace std::chrono_literals;

namespace {

TreeEntry file(const std::string& text) {
  return {TreeEntry::Kind::file, 0444, text};
}

TreeEntries redacted(const TreeEntries& entries) {
  auto out = redact_tree(entries);
  REQUIRE_MESSAGE(out.ok(), out.error().message());
  return std::move(out->entries);
}

// A stand-in for the capturing process: answers with `body` of a shell script.
std::string script(test::Tree& tree, const std::string& body) {
  tree.file("walk.sh", "#!/bin/sh\nrequest=$(cat)\n" + body);
  ::chmod((tree.path() + "/walk.sh").c_str(), 0755);
  return tree.path() + "/walk.sh";
}

CaptureOptions quick() {
  CaptureOptions options;
  options.unit = 300ms;
  options.total = 5s;
  return options;
}

}  // namespace

TEST_CASE("redaction: the same secret gets the same word, wherever it stands") {
  const auto out = redacted({
      {"sys/class/nvme/nvme0/serial", file("S64ANS0T515282K     \n")},
      {"sys/class/nvme/nvme1/serial", file("S64ANS0T515282K     \n")},
      {"sys/class/nvme/nvme2/serial", file("OTHER-ONE\n")},
      {"sys/class/nvme/nvme0/subsysnqn",
       file("nqn.1994-11.com.samsung:nvme:PM9A3:S64ANS0T515282K\n")},
      {"sys/class/nvme/nvme1/subsysnqn",
       file("nqn.1994-11.com.samsung:nvme:PM9A3:S64ANS0T515282K\n")},
      {"sys/block/dm-0/dm/name", file("disk-S64ANS0T515282K-part1\n")},
  });
  CHECK(out.at("sys/class/nvme/nvme0/serial").data == "SERIAL0001     \n");
  CHECK(out.at("sys/class/nvme/nvme1/serial").data == "SERIAL0001     \n");
  CHECK(out.at("sys/class/nvme/nvme2/serial").data == "SERIAL0002\n");
  CHECK(out.at("sys/class/nvme/nvme0/subsysnqn").data ==
        out.at("sys/class/nvme/nvme1/subsysnqn").data);
  CHECK(out.at("sys/class/nvme/nvme0/subsysnqn").data.find("S64") == std::string::npos);
  CHECK(out.at("sys/block/dm-0/dm/name").data == "disk-SERIAL0001-part1\n");
}

TEST_CASE("redaction: a serial in hexadecimal inside an identifier") {
  const auto out = redacted({
      {"sys/block/a/serial", file("AB12\n")},
      {"sys/block/b/name", file("nvme.144d-41423132-x\n")},
  });
  CHECK(out.at("sys/block/b/name").data.find("41423132") == std::string::npos);
}

TEST_CASE("redaction: names of files and targets of links") {
  const std::string uuid = "0b1c2d3e-1111-2222-3333-444455556666";
  const auto out = redacted({
      {"sys/fs/btrfs/" + uuid + "/devices/sda", {TreeEntry::Kind::link, 0777, "../../" + uuid}},
      {"proc/cmdline", file("root=UUID=" + uuid + " psk=hunter22\n")},
  });
  const std::string next = "00000000-0000-4000-8000-000000000001";
  REQUIRE(out.contains("sys/fs/btrfs/" + next + "/devices/sda"));
  CHECK(out.at("sys/fs/btrfs/" + next + "/devices/sda").data == "../../" + next);
  CHECK(out.at("proc/cmdline").data == "root=UUID=" + next + " psk=REDACTED\n");
}

TEST_CASE("redaction: addresses where addresses stand, versions stay") {
  const auto out = redacted({
      {"proc/cmdline", file("ip=10.1.2.3 nfsroot=[2001:db8:5::7]:/x eth=52:54:00:aa:bb:cc "
                            "pci=0000:3b:00.0\n")},
      {"sys/devices/virtual/dmi/id/bios_version", file("2.14.0.1\n")},
      {"sys/class/nvme/nvme0/address", file("traddr=10.1.2.3,trsvcid=4420\n")},
  });
  CHECK(out.at("sys/devices/virtual/dmi/id/bios_version").data == "2.14.0.1\n");
  CHECK(out.at("sys/class/nvme/nvme0/address").data == "traddr=192.0.2.1,trsvcid=4420\n");
  const auto& line = out.at("proc/cmdline").data;
  CHECK(line.find("ip=192.0.2.1 ") != std::string::npos);
  CHECK(line.find("2001:db8:5::7") == std::string::npos);
  CHECK(line.find("aa:bb:cc") == std::string::npos);
  CHECK(line.find("pci=0000:3b:00.0") != std::string::npos);
}

TEST_CASE("redaction: the host's name, but not a kernel word that looks like it") {
  const auto out = redacted({
      {"proc/sys/kernel/hostname", file("data\n")},
      {"sys/block/md0/md/array", file("data:0\n")},
      {"sys/module/nvme/parameters/x", file("data\n")},
  });
  CHECK(out.at("proc/sys/kernel/hostname").data == "redacted-host\n");
  CHECK(out.at("sys/block/md0/md/array").data == "redacted-host:0\n");
  CHECK(out.at("sys/module/nvme/parameters/x").data == "data\n");
}

TEST_CASE("redaction: what says nothing stays, and numbers are no serials") {
  const auto out = redacted({
      {"sys/block/sda/device/serial", file("12345678\n")},
      {"sys/block/sdb/device/serial", file("unknown\n")},
      {"sys/block/sda/size", file("912345678\n")},
      {"proc/interrupts", file("0: 12345678 timer\n")},
  });
  CHECK(out.at("sys/block/sdb/device/serial").data == "unknown\n");
  CHECK(out.at("sys/block/sda/size").data == "912345678\n");
  CHECK(out.at("proc/interrupts").data == "0: 12345678 timer\n");
  CHECK(out.at("sys/block/sda/device/serial").data == "SERIAL0001\n");
}

TEST_CASE("redaction: SCSI's serial page keeps its form") {
  const auto out = redacted({
      {"sys/devices/x/vpd_pg80", file(std::string("\0\x80\0\x08", 4) + "ABCD1234")},
      {"sys/devices/x/wwid", file("t10.ATA     DISK      ABCD1234\n")},
  });
  CHECK(out.at("sys/devices/x/vpd_pg80").data == std::string("\0\x80\0\x0a", 4) + "SERIAL0001");
  CHECK(out.at("sys/devices/x/wwid").data == "t10.redacted0001\n");
}

TEST_CASE("redaction: instances of units in control groups, and nowhere else") {
  const auto out = redacted({
      {"proc/9/cgroup", file("0::/system.slice/db@customer.service\n")},
      {"proc/10/cgroup", file("0::/machine.slice/machine-qemu\\x2d1\\x2dvm7.scope\n")},
      {"proc/11/cgroup", file("0::/system.slice/ceph-osd@3.service\n")},
      {"proc/12/cgroup", file("0::/system.slice/bench@nvme0n1.service\n")},
      {"sys/fs/cgroup/system.slice/db@customer.service/memory.numa_stat", file("anon N0=1\n")},
      {"sys/block/nvme0n1/size", file("1\n")},
      {"proc/self/mountinfo", file("1 1 259:0 / /customer rw - xfs /dev/nvme0n1 rw\n")},
  });
  CHECK(out.at("proc/9/cgroup").data == "0::/system.slice/db@instance0003.service\n");
  CHECK(out.at("proc/10/cgroup").data.find("vm7") == std::string::npos);
  CHECK(out.at("proc/11/cgroup").data == "0::/system.slice/ceph-osd@3.service\n");
  CHECK(out.contains("sys/fs/cgroup/system.slice/db@instance0003.service/memory.numa_stat"));
  CHECK(out.contains("sys/block/nvme0n1/size"));
  CHECK(out.at("proc/self/mountinfo").data.find("/customer") != std::string::npos);
}

TEST_CASE("redaction: exported subsystems, and the kind of a mapped device stays") {
  const auto out = redacted({
      {"sys/kernel/config/nvmet/subsystems/payroll/namespaces/1/enable", file("1\n")},
      {"sys/block/dm-0/dm/uuid", file("LVM-abcdefgh12345678\n")},
      {"sys/block/dm-1/dm/uuid", file("CRYPT-LUKS2-0123456789-home\n")},
      {"sys/block/dm-2/dm/uuid", file("part1-mpath-3600a098000a1b2c3\n")},
  });
  for (const auto& [path, entry] : out) CHECK(path.find("payroll") == std::string::npos);
  CHECK(out.at("sys/block/dm-0/dm/uuid").data.starts_with("LVM-0000"));
  CHECK(out.at("sys/block/dm-1/dm/uuid").data.starts_with("CRYPT-0000"));
  CHECK(out.at("sys/block/dm-2/dm/uuid").data.starts_with("part1-mpath-0000"));
}

TEST_CASE("shapes: long words and edges") {
  CHECK(find_nqns("nqn." + std::string(1 << 20, 'a')).front().size() == 223);
  CHECK(find_nqns("nqn.2014-08.org.nvmexpress.discovery").empty());
  CHECK(find_uuids("-0b1c2d3e-1111-2222-3333-44445555666").empty());
  CHECK(find_macs("52:54:00:aa:bb:cc:dd:ee").empty() == false);
  CHECK(find_ipv4("127.0.0.1 0.0.0.0 255.255.255.255 300.1.1.1").empty());
  CHECK(find_ipv6("0000:3b:00.0 :: a::b").size() == 1);
  CHECK(find_euis("eui.00253 naa.5000c500a1b2c3d4").size() == 1);
}

TEST_CASE("capture: a folder that hangs is left out of the next walk") {
  test::Tree tree;
  const auto walked = walk_in_child(
      quick(), script(tree,
                      "printf 'U 0 9 0\\nsys/hangs'\n"
                      "case $request in *sys/hangs*) printf 'G 110 9 0\\nsys/hangs';; "
                      "*) exec sleep 60;; esac\nprintf 'F 292 5 3\\nsys/aabcZ 0 0 0\\n'\n"));
  REQUIRE_MESSAGE(walked.ok(), walked.error().message());
  CHECK(walked->entries.at("sys/a").data == "abc");
  CHECK(walked->gaps == std::vector<CaptureGap>{{"sys/hangs", ETIMEDOUT}});
}

TEST_CASE("capture: a process that dies, or answers nonsense, is an error in time") {
  test::Tree tree;
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(walk_in_child(quick(), script(tree, "kill -9 $$\n")));
  CHECK_FALSE(walk_in_child(quick(), script(tree, "echo hello there\n")));
  CHECK_FALSE(walk_in_child(quick(), script(tree, "echo 'F 1 99999999999999999999 1'\n")));
  CHECK_FALSE(walk_in_child(quick(), script(tree, "exec sleep 60\n")));
  CHECK_FALSE(walk_in_child(quick(), tree.path() + "/does-not-exist"));
  CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("capture: a file has its name only once it is whole") {
  test::Tree tree;
  const auto out = tree.path() + "/x.tar.xz";
  CHECK(write_archive({{"sys/a", file("abc")}}, out));
  CHECK(std::filesystem::exists(out));
  CHECK(write_archive({{"sys/a", file("abc")}}, tree.path() + "/none/x").error().err == ENOENT);
  CHECK(write_archive({{"sys/a", file("abc")}}, tree.path()).error().err == EISDIR);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(tree.path())) {
    ++files;
  }
  CHECK(files == 2);  // sys/ and the archive
}
