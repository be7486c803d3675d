#include "probes/pci_config.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kHeader = 64;
constexpr std::size_t kConfigSize = 256;  // of conventional PCI; the capability stands in it
constexpr std::size_t kStatus = 0x06;
constexpr unsigned kHasCapabilities = 1U << 4U;
constexpr std::size_t kFirstCapability = 0x34;
constexpr unsigned kExpressId = 0x10;
constexpr int kMostCapabilities = 48;  // as many as fit; a list that is longer runs in a circle
// Offsets in the PCI Express capability.
constexpr std::size_t kFlags = 0x02;
constexpr std::size_t kDeviceCapabilities = 0x04;
constexpr std::size_t kDeviceControl = 0x08;
constexpr std::size_t kLinkCapabilities = 0x0C;
constexpr std::size_t kLinkControl = 0x10;
constexpr std::size_t kLinkStatus = 0x12;
constexpr std::size_t kLinkControl2 = 0x30;
constexpr unsigned kIntegratedEndpoint = 0x9;
constexpr unsigned kEventCollector = 0xA;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

unsigned word_at(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) | byte_at(bytes, at + 1) << 8U;
}

std::optional<double> speed_of(unsigned code) {
  constexpr std::array<double, 6> kSpeeds{2.5, 5, 8, 16, 32, 64};
  if (code < 1 || code > kSpeeds.size()) return std::nullopt;
  return kSpeeds[code - 1];
}

std::int64_t size_of(unsigned code) {
  return std::int64_t{128} << (code & 7U);
}

ConfigSpace without(Cause cause, const std::string& what, const std::string& path) {
  return {std::nullopt, cause, Error{what, path, 0}};
}

PciExpress express_at(std::string_view bytes, std::size_t at) {
  PciExpress found;
  const unsigned flags = word_at(bytes, at + kFlags);
  const unsigned kind = flags >> 4U & 0xFU;
  const unsigned control = word_at(bytes, at + kDeviceControl);
  found.max_payload_supported = size_of(word_at(bytes, at + kDeviceCapabilities));
  found.max_payload = size_of(control >> 5U);
  found.max_read_request = size_of(control >> 12U);
  found.has_link = kind != kIntegratedEndpoint && kind != kEventCollector;
  if (!found.has_link) return found;
  const unsigned able = word_at(bytes, at + kLinkCapabilities);
  const unsigned status = word_at(bytes, at + kLinkStatus);
  found.max_speed_gts = speed_of(able & 0xFU);
  found.max_width = able >> 4U & 0x3FU;
  found.speed_gts = speed_of(status & 0xFU);
  found.width = status >> 4U & 0x3FU;
  found.aspm_control = word_at(bytes, at + kLinkControl) & 3U;
  if ((flags & 0xFU) >= 2 && bytes.size() >= at + kLinkControl2 + 2) {
    const unsigned target = word_at(bytes, at + kLinkControl2) & 0xFU;
    // Functions that can do nothing but 2.5 GT/s may leave the register at 0.
    const bool fixed = target == 0 && found.max_speed_gts == speed_of(1);
    found.target_speed_gts = fixed ? found.max_speed_gts : speed_of(target);
  }
  return found;
}

ConfigSpace too_short(std::size_t size, bool live, const std::string& path) {
  const std::string given = "the first " + std::to_string(size) + " bytes";
  if (live) {
    return without(Cause::denied,
                   "the kernel gives only " + given +
                       " of configuration space to a reader without CAP_SYS_ADMIN",
                   path);
  }
  return without(Cause::absent, "the capture holds only " + given + " of configuration space",
                 path);
}

}  // namespace

bool ConfigSpace::leaves_open() const {
  if (express) return false;
  return error.err == 0
             ? cause == Cause::denied || cause == Cause::unreadable || cause == Cause::malformed
             : error.err != ENOENT;
}

void ConfigSpace::book(ProbeContext& context, const std::string& field) const {
  if (error.err != 0) {
    context.problem(field, error);
  } else {
    context.missing(field, cause, error.what, error.path);
  }
}

ConfigSpace parse_config_space(std::string_view bytes, bool live, const std::string& path) {
  if (bytes.empty()) return without(Cause::absent, "the file is empty", path);
  if (bytes.size() < kHeader) {
    return without(Cause::malformed,
                   "holds " + std::to_string(bytes.size()) + " bytes; a header alone has 64", path);
  }
  const auto all_ones = [](char c) { return static_cast<unsigned char>(c) == 0xFF; };
  if (std::all_of(bytes.begin(), bytes.end(), all_ones)) {
    return without(Cause::unreadable, "reads as all ones: the function does not answer", path);
  }
  const std::string none = "configuration space has no PCI Express capability";
  if ((word_at(bytes, kStatus) & kHasCapabilities) == 0) return without(Cause::absent, none, path);
  std::size_t at = byte_at(bytes, kFirstCapability) & 0xFCU;
  for (int left = kMostCapabilities; at >= kHeader && left > 0; --left) {
    if (at + 2 > bytes.size()) return too_short(bytes.size(), live, path);
    if (byte_at(bytes, at) == kExpressId) {
      if (at + kLinkStatus + 2 > bytes.size()) return too_short(bytes.size(), live, path);
      return {express_at(bytes, at), Cause::absent, {}};
    }
    at = byte_at(bytes, at + 1) & 0xFCU;
  }
  if (at >= kHeader) {
    return without(Cause::malformed, "the list of capabilities runs in a circle", path);
  }
  return without(Cause::absent, none, path);
}

std::string asleep(const Root& root, const std::string& device) {
  const auto status = root.read(device + "/power/runtime_status");
  if (status && trim(*status).starts_with("suspend")) {
    return "the function is " + std::string(trim(*status)) +
           "; reading its registers would wake it";
  }
  const auto state = root.read(device + "/power_state");
  if (state && trim(*state) == "D3cold") {
    return "the function is without power (D3cold); reading its registers would wake it";
  }
  return {};
}

ConfigSpace read_config_space(const Root& root, const std::string& device) {
  const std::string path = device + "/config";
  const auto bytes = root.read_start(path, kConfigSize - 1);  // gives one byte more
  if (!bytes) return {std::nullopt, Cause::absent, bytes.error()};
  return parse_config_space(*bytes, root.is_live(), path);
}

}  // namespace lk
