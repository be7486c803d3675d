#include "probes/cpuinfo.hpp"

#include <doctest/doctest.h>

#include "probes/redact.hpp"

namespace lk {

TEST_CASE("cpuinfo: x86 gives numbers, names and the hypervisor bit") {
  const auto info = parse_cpuinfo(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
      "model name\t: Intel(R) Xeon(R) Gold 6430\nflags\t\t: fpu vme hypervisor\n\n"
      "processor\t: 7\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n");
  CHECK(info.processors.to_list() == "0,7");
  CHECK(info.vendor == "GenuineIntel");
  CHECK(info.model == "Intel(R) Xeon(R) Gold 6430");
  CHECK(info.family == "6");
  CHECK(info.model_number == "143");
  CHECK(info.has_flags);
  CHECK(info.hypervisor);
}

TEST_CASE("cpuinfo: s390 numbers processors in the key and names the machine") {
  const auto info = parse_cpuinfo(
      "vendor_id       : IBM/S390\n# processors    : 2\n"
      "processor 0: version = FF,  identification = 1CB2D7,  machine = 2964\n"
      "processor 3: version = FF,  identification = 1CB2D7,  machine = 2964\n");
  CHECK(info.processors.to_list() == "0,3");
  CHECK(info.vendor == "IBM/S390");
  CHECK(info.model == "machine 2964");
  CHECK_FALSE(info.has_flags);
}

TEST_CASE("cpuinfo: arm implementers have names, unknown ones stay numbers") {
  CHECK(parse_cpuinfo("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n").vendor == "ARM");
  CHECK(parse_cpuinfo("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n").model ==
        "CPU part 0xd0c");
  CHECK(parse_cpuinfo("processor : 0\nCPU implementer : 0x77\n").vendor == "0x77");
  const auto old = parse_cpuinfo("Processor : ARMv7 Processor rev 4 (v7l)\nprocessor : 1\n");
  CHECK(old.model == "ARMv7 Processor rev 4 (v7l)");
  CHECK(old.processors.to_list() == "1");
}

TEST_CASE("cpuinfo: ppc, riscv and loongarch name their processors in other keys") {
  CHECK(parse_cpuinfo("processor : 0\ncpu : POWER7 (raw), altivec supported\n").model ==
        "POWER7 (raw), altivec supported");
  CHECK(
      parse_cpuinfo("processor : 0\nhart : 1\nuarch : sifive,u74-mc\nmvendorid : 0x489\n").model ==
      "sifive,u74-mc");
  CHECK(parse_cpuinfo("processor : 0\nCPU Family : Loongson-64bit\nModel Name : Loongson-3A5000\n")
            .model == "Loongson-3A5000");
}

TEST_CASE("cpuinfo: rubbish gives nothing") {
  const auto info = parse_cpuinfo(std::string(100000, '\0') + "processor : 99999999999\n:::\n");
  CHECK(info.processors.empty());
  CHECK_FALSE(info.vendor);
  CHECK_FALSE(info.model);
}

TEST_CASE("redact: secrets go, settings stay") {
  CHECK(redact_cmdline("quiet root=/dev/sda1 isolcpus=2-5") == "quiet root=/dev/sda1 isolcpus=2-5");
  CHECK(redact_cmdline("a.password=x b.token=y rd.luks.key=/k z") ==
        "a.password=REDACTED b.token=REDACTED rd.luks.key=REDACTED z");
  CHECK(redact_cmdline("SECRET=\"two words\" quiet") == "SECRET=REDACTED quiet");
  CHECK(redact_cmdline("vconsole.keymap=de") == "vconsole.keymap=de");
  CHECK(redact_cmdline("inst.ks=http://user:word@host/a@b") == "inst.ks=http://REDACTED@host/a@b");
}

}  // namespace lk
