#include "probes/interrupts.hpp"

#include <doctest/doctest.h>

namespace lk {

TEST_CASE("interrupts: columns are the online CPUs, texts of all kernels are understood") {
  const auto lines = parse_interrupts(
      "           CPU0       CPU5\n"
      "  0:         28          0   IR-IO-APIC    2-edge      timer\n"
      " 24:          0          0  IR-PCI-MSI 30932992-edge      nvme0q0\n"
      " 25:          0         12  PCI-MSIX-0000:3b:00.0 3-edge      nvme0q3\n"
      " 16:          1          0   IO-APIC-fasteoi   uhci_hcd:usb1, ehci_hcd:usb2\n"
      " 27:         10          0     GICv3  27 Level     arch_timer\n"
      "NMI:          5          6   Non-maskable interrupts\n"
      "ERR:          0\n");
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].fired);
  CHECK(lines[0].chip == "IR-IO-APIC");
  CHECK(lines[0].actions == std::vector<std::string>{"timer"});
  CHECK_FALSE(lines[1].fired);
  CHECK(lines[2].fired);
  CHECK(lines[3].chip == "IO-APIC-fasteoi");
  CHECK(lines[3].actions == std::vector<std::string>{"uhci_hcd:usb1", "ehci_hcd:usb2"});
  CHECK(lines[4].actions == std::vector<std::string>{"arch_timer"});
}

TEST_CASE("interrupts: the chip's name or the hardware number states the function and vector") {
  const auto lines = parse_interrupts(
      "   CPU0\n"
      " 1: 0 IR-PCI-MSI 30932993-edge x\n"
      " 2: 0 PCI-MSIX-0000:3b:00.0 3-edge x\n"
      " 3: 0 IO-APIC 30932993-edge x\n"
      " 4: 0 PCI-MSI-edge x\n");
  REQUIRE(lines.size() == 4);
  const auto old = msi_vector(lines[0]);
  REQUIRE(old);
  CHECK(old->address == "0000:3b:00.0");
  CHECK(old->vector == 1);
  const auto newer = msi_vector(lines[1]);
  REQUIRE(newer);
  CHECK(newer->address == "0000:3b:00.0");
  CHECK(newer->vector == 3);
  CHECK_FALSE(msi_vector(lines[2]));
  CHECK_FALSE(msi_vector(lines[3]));
}

TEST_CASE("interrupts: a broken table gives what is whole in it") {
  CHECK(parse_interrupts("").empty());
  CHECK(parse_interrupts(std::string(1000, '\0')).empty());
  CHECK(parse_interrupts("no header\n 1: 5 x\n").empty());
  const std::string whole = "  CPU0 CPU1\n 7: 0 4 PCI-MSI 1-edge nvme0q1\n 8: 1 0 IO-APIC rtc0";
  InterruptsParser bytes;
  for (const char each : whole) bytes.feed({&each, 1});
  const auto pieces = bytes.finish();
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].actions == std::vector<std::string>{"nvme0q1"});
  CHECK(pieces[1].chip == "IO-APIC");
  const auto cut = parse_interrupts("  CPU0 CPU1 CPU2\n 7: 0 4");
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].fired);
  CHECK(cut[0].actions.empty());
}

}  // namespace lk
