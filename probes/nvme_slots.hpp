// In which physical slot or bay a PCI function stands. Three sources, in this order: hot-plug slots
// (sys/bus/pci/slots/*/address), the firmware's slot table (SMBIOS type 9, which only root may
// read), and the firmware's label of the function (sys/bus/pci/devices/*/label).
#pragma once

#include <map>

#include "probes/probe.hpp"

namespace lk {

constexpr const char* kSmbiosTables = "sys/firmware/dmi/tables/DMI";

// Function address without its function number ("0000:3b:00") -> designation, of the slots in an
// SMBIOS structure table. Slots that say they are empty, give no address, or share one are left
// out.
std::map<std::string, std::string> smbios_slots(std::string_view table);
// The same table with nothing but its slots: the rest holds serial numbers. Ends with type 127.
std::string smbios_slots_only(std::string_view table);

class SlotMap {
 public:
  explicit SlotMap(ProbeContext& context);

  // Null if none of the sources names the function; the Problem is booked.
  std::optional<std::string> slot_of(ProbeContext& context, const std::string& address) const;

 private:
  std::map<std::string, std::string> hot_plug_;
  std::map<std::string, std::string> firmware_;
  std::optional<Error> no_firmware_;  // why the firmware's table could not be read
};

}  // namespace lk
