// proc/interrupts. Only the first field and what follows the counts is read: the columns are the
// online CPUs, and the texts in between changed their form with almost every kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lk {

struct InterruptLine {
  std::int64_t irq = 0;
  bool fired = false;                     // any count is not 0
  std::string chip;                       // "PCI-MSIX-0000:3b:00.0", "IR-IO-APIC"; may be empty
  std::optional<std::uint64_t> hardware;  // the chip's own number, where printed
  std::vector<std::string> actions;
};

// The PCI function and the place among its MSI vectors that a line states: in the chip's name
// (since Linux 6.2) or in the hardware number of a PCI MSI domain (before;
// drivers/pci/msi/irqdomain.c).
struct MsiVector {
  std::string address;
  std::int64_t vector = 0;
};
std::optional<MsiVector> msi_vector(const InterruptLine& line);

// Takes the file in pieces of any size, for that of a large host has 60 MB, and gives the lines
// whose first field is a number, in the file's order; others (NMI:, LOC:) are left out.
class InterruptsParser {
 public:
  void feed(std::string_view piece);
  std::vector<InterruptLine> finish();  // with a last line that has no end

 private:
  void take(std::string_view line);

  std::string rest_;  // the start of a line whose end has not come
  std::size_t columns_ = 0;
  std::vector<InterruptLine> lines_;
};

std::vector<InterruptLine> parse_interrupts(std::string_view text);

}  // namespace lk
