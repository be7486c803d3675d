// Waivers: a fault that somebody accepts, for a reason and until a time. The verdict stays `fail`.
#pragma once

#include <span>

#include "base/yaml.hpp"
#include "tuners/knob.hpp"

namespace lk {

enum class WaiverSource { config, api };
constexpr auto names(WaiverSource) {
  using W = WaiverSource;
  return EnumNames<W, 2>{{{W::config, "config"}, {W::api, "api"}}};
}

// Exactly one of `target` and `label` is there. A target is a glob ("policy:*", "*"), a list as
// findings have them ("cpu:0-3,8"), or any name of a drive, alone or as "nvme:<name>" and
// "block:<name>". A label waives the check on every target of the hosts that have it.
struct Waiver {
  std::string id;
  std::string check;
  std::optional<std::string> target;
  std::optional<std::string> label;
  std::string reason;
  std::string owner;
  std::optional<std::string> ticket;
  std::string expires;          // UTC, RFC 3339: from then on it no longer holds
  std::int64_t expires_at = 0;  // the same, in seconds since 1970
  WaiverSource source = WaiverSource::config;
  std::string origin;  // "config.yaml:12", or who made it over the API
  bool expired = false;

  friend bool operator==(const Waiver&, const Waiver&) = default;

  static constexpr std::string_view kSchema = "Waiver";
  template <class Self = Waiver>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "its name"),
        field("check", &Self::check, "the id of the check that may fail"),
        field("target", &Self::target,
              "where: a target, a list or glob of targets, or a drive by any of its names; null if "
              "`label` says it"),
        field("label", &Self::label,
              "key=value: on all targets of hosts with that label; null if `target` says it"),
        field("reason", &Self::reason, "why the fault is accepted"),
        field("owner", &Self::owner, "who answers for it"),
        field("ticket", &Self::ticket, "where it is tracked; null if nowhere"),
        field("expires", &Self::expires, "from then on it no longer holds, UTC"),
        field("source", &Self::source, "config (only the file can change it) or api"),
        field("origin", &Self::origin, "file and line, or which user made it over the API"),
        field("expired", &Self::expired, "it no longer holds"),
    };
  }
};

// Texts as they were given, of a request or a configuration.
struct WaiverText {
  std::string check;
  std::optional<std::string> target;
  std::optional<std::string> label;
  std::string reason;
  std::string owner;
  std::optional<std::string> ticket;
  std::string expires;

  static constexpr std::string_view kSchema = "NewWaiver";
  template <class Self = WaiverText>
  static constexpr auto fields() {
    return std::tuple{
        field("check", &Self::check, "the id of the check that may fail"),
        field("target", &Self::target, "where; this or `label`"),
        field("label", &Self::label, "key=value: on all targets of hosts with that label"),
        field("reason", &Self::reason, "why the fault is accepted"),
        field("owner", &Self::owner, "who answers for it"),
        field("ticket", &Self::ticket, "where it is tracked"),
        field("expires", &Self::expires,
              "a time (RFC 3339), or a date: to the end of that day in UTC"),
    };
  }
};

constexpr std::size_t kMostWaiverText = 1024;  // bytes of each text

// Checks what was given. Error.path is the key that is wrong.
Result<Waiver> make_waiver(const WaiverText& text);

// The list under `waivers` of a configuration. `id` may be left out: "<check>@<target or label>".
Result<std::vector<Waiver>> read_waivers(const YamlNode& node, const std::string& file);

// The waivers of one check on one host, ready to be asked.
class WaiverMatch {
 public:
  WaiverMatch(std::span<const Waiver> waivers, const Inventory& inventory, std::string_view check);

  // The first that covers the target; null if none does. It lives as long as the waivers.
  const Waiver* find(const std::string& target) const;

 private:
  struct Cover {
    const Waiver* waiver;
    std::vector<std::string> globs;
  };
  std::vector<Cover> covers_;
};

}  // namespace lk
