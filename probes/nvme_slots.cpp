#include "probes/nvme_slots.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/text.hpp"

namespace lk {

namespace {

const std::string kField = "nvme.controllers[].slot";
constexpr unsigned kSlotType = 9;
constexpr unsigned kEndType = 127;
constexpr std::size_t kHeader = 4;
constexpr unsigned kUsageAvailable = 3;  // "current usage": nothing is in it

// One structure: the formatted area, and the strings that follow it.
struct Structure {
  std::string_view whole;
  std::string_view area;
  std::vector<std::string_view> strings;

  unsigned byte(std::size_t at) const {
    return at < area.size() ? static_cast<unsigned char>(area[at]) : 0U;
  }
  unsigned type() const { return byte(0); }
  std::string text(std::size_t at) const {
    const unsigned index = byte(at);
    return index == 0 || index > strings.size() ? std::string()
                                                : std::string(trim(strings[index - 1]));
  }
};

// Takes the first structure off `rest`; nothing at the end or where the table makes no sense.
std::optional<Structure> take_structure(std::string_view& rest) {
  if (rest.size() < kHeader) return std::nullopt;
  const std::size_t length = static_cast<unsigned char>(rest[1]);
  if (length < kHeader || length > rest.size()) return std::nullopt;
  const auto end = rest.find(std::string_view("\0\0", 2), length);
  if (end == std::string_view::npos) return std::nullopt;
  Structure out;
  out.whole = rest.substr(0, end + 2);
  out.area = rest.substr(0, length);
  for (const auto each : split(rest.substr(length, end - length), '\0')) {
    out.strings.push_back(each);
  }
  rest.remove_prefix(end + 2);
  return out;
}

template <class Visit>
void for_each_structure(std::string_view table, Visit&& visit) {
  while (const auto each = take_structure(table)) {
    visit(*each);
    if (each->type() == kEndType) return;
  }
}

// Segment, bus, device and function stand from byte 0x0d on since SMBIOS 2.6.
std::optional<std::string> address_of(const Structure& slot) {
  if (slot.area.size() < 0x11 || slot.byte(0x07) == kUsageAvailable) return std::nullopt;
  const unsigned bus = slot.byte(0x0f);
  const unsigned function = slot.byte(0x10);
  if (bus == 0xffU || function == 0xffU) return std::nullopt;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x", slot.byte(0x0d) | slot.byte(0x0e) << 8U,
                bus, function >> 3U);
  return std::string(text.data());
}

std::map<std::string, std::string> read_hot_plug(ProbeContext& context) {
  std::map<std::string, std::string> slots;
  for (const auto& name : context.list(kField, "sys/bus/pci/slots")) {
    const auto address = context.optional_text(kField, "sys/bus/pci/slots/" + name + "/address");
    if (address) slots.emplace(*address, name);
  }
  return slots;
}

}  // namespace

std::map<std::string, std::string> smbios_slots(std::string_view table) {
  std::map<std::string, std::string> slots;
  std::set<std::string> ambiguous;
  for_each_structure(table, [&](const Structure& each) {
    if (each.type() != kSlotType) return;
    const auto address = address_of(each);
    const auto name = each.text(kHeader);
    if (!address || name.empty()) return;
    if (!slots.emplace(*address, name).second) ambiguous.insert(*address);
  });
  for (const auto& each : ambiguous) slots.erase(each);
  return slots;
}

std::string smbios_slots_only(std::string_view table) {
  std::string kept;
  for_each_structure(table, [&](const Structure& each) {
    if (each.type() == kSlotType || each.type() == kEndType) kept += each.whole;
  });
  return kept;
}

SlotMap::SlotMap(ProbeContext& context) : hot_plug_(read_hot_plug(context)) {
  const auto table = context.root.read(kSmbiosTables, Root::kTableLimit);
  if (table) {
    firmware_ = smbios_slots(*table);
  } else {
    no_firmware_ = table.error();
  }
}

std::optional<std::string> SlotMap::slot_of(ProbeContext& context,
                                            const std::string& address) const {
  const auto place = address.substr(0, address.rfind('.'));
  for (const auto* source : {&hot_plug_, &firmware_}) {
    if (const auto found = source->find(place); found != source->end()) return found->second;
  }
  auto label = context.optional_text(kField, "sys/bus/pci/devices/" + address + "/label");
  if (label && !label->empty()) return label;
  if (no_firmware_ && no_firmware_->err != ENOENT) {
    context.problem(kField, *no_firmware_);
  } else {
    context.missing(kField, Cause::absent,
                    "no hot-plug slot, no slot of the firmware's table and no label names it",
                    "sys/bus/pci/devices/" + address);
  }
  return std::nullopt;
}

}  // namespace lk
