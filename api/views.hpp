// What the API shows of things that have no described struct of their own.
#pragma once

#include "tuners/profile.hpp"

namespace lk {

struct VersionView {
  std::string name;
  std::string version;
  std::string api;
  std::string compiler;

  static constexpr std::string_view kSchema = "Version";
  template <class Self = VersionView>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "lanekeeper"),
        field("version", &Self::version, "of the program"),
        field("api", &Self::api, "the first part of every path"),
        field("compiler", &Self::compiler, "that built it"),
    };
  }
};

struct ReadyView {
  std::string status;
  std::int64_t generation = 0;
  std::string collected_at;

  static constexpr std::string_view kSchema = "Ready";
  template <class Self = ReadyView>
  static constexpr auto fields() {
    return std::tuple{
        field("status", &Self::status, "ready"),
        field("generation", &Self::generation, "of the inventory"),
        field("collected_at", &Self::collected_at, "when the inventory was read, UTC"),
    };
  }
};

// After it a client of /v1/events must ask for everything again.
struct ResetView {
  std::int64_t generation = 0;

  static constexpr std::string_view kSchema = "Reset";
  template <class Self = ResetView>
  static constexpr auto fields() {
    return std::tuple{field("generation", &Self::generation, "of the newest inventory")};
  }
};

struct RefreshView {
  std::int64_t generation = 0;

  static constexpr std::string_view kSchema = "Refresh";
  template <class Self = RefreshView>
  static constexpr auto fields() {
    return std::tuple{field("generation", &Self::generation,
                            "of the inventory before the refresh; it may stay the newest")};
  }
};

struct KnobView {
  std::string id;
  std::string title;
  Scope scope = Scope::host;
  Risk risk = Risk::report_only;
  PowerCost power_cost = PowerCost::none;
  bool io_stall = false;
  std::string unit;
  std::string doc;
  std::string why;

  static constexpr std::string_view kSchema = "Knob";
  template <class Self = KnobView>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "its name in profiles, metrics and documentation"),
        field("title", &Self::title, "one line"),
        field("scope", &Self::scope, "what its targets are"),
        field("risk", &Self::risk, "of writing it; report_only: it is never written"),
        field("power_cost", &Self::power_cost, "of the fast setting"),
        field("io_stall", &Self::io_stall, "a write stops the drive's queue for a moment"),
        field("unit", &Self::unit, "of its value; empty if it has none"),
        field("doc", &Self::doc, "what it is; markdown"),
        field("why", &Self::why, "what changes if it is wrong"),
    };
  }
};
KnobView view_of(const Knob& knob);

struct ProfileEntryView {
  std::string name;
  std::string description;
  std::string file;
  bool valid = false;
  bool is_default = false;

  static constexpr std::string_view kSchema = "ProfileEntry";
  template <class Self = ProfileEntryView>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "name"),
        field("description", &Self::description, "what it is for, or what is wrong with its file"),
        field("file", &Self::file, "where it comes from"),
        field("valid", &Self::valid, "whether it can be used"),
        field("default", &Self::is_default, "audits use it unless another is named"),
    };
  }
};

struct CheckView {
  std::string id;
  std::string knob;
  std::optional<std::string> expect;
  std::map<std::string, std::string> where;
  Severity severity = Severity::info;
  Tune tune = Tune::never;
  bool enforce = false;
  std::string why;
  std::string origin;

  static constexpr std::string_view kSchema = "Check";
  template <class Self = CheckView>
  static constexpr auto fields() {
    return std::tuple{
        field("id", &Self::id, "the check's name in findings"),
        field("knob", &Self::knob, "the knob that it looks at"),
        field("expect", &Self::expect, "what is expected; null: it only reports"),
        field("where", &Self::where, "which targets, by their properties"),
        field("severity", &Self::severity, "of a fail"),
        field("tune", &Self::tune, "whether a plan may set it"),
        field("enforce", &Self::enforce, "whether drift is written back"),
        field("why", &Self::why, "why it matters; empty: as the knob says"),
        field("origin", &Self::origin, "file and line that said it last"),
    };
  }
};

struct ProfileView {
  std::string name;
  std::string description;
  std::vector<std::string> extends;
  std::string file;
  std::vector<CheckView> checks;

  static constexpr std::string_view kSchema = "Profile";
  template <class Self = ProfileView>
  static constexpr auto fields() {
    return std::tuple{
        field("name", &Self::name, "name"),
        field("description", &Self::description, "what it is for"),
        field("extends", &Self::extends, "the profiles that it builds on"),
        field("file", &Self::file, "where it comes from"),
        field("checks", &Self::checks,
              "with those of the extended profiles and variables worked in"),
    };
  }
};
ProfileView view_of(const Profile& profile);

// A controller, and the namespaces that it leads to.
struct DriveView : NvmeController {
  std::vector<NvmeNamespace> namespaces;

  static constexpr std::string_view kSchema = "Drive";
  static constexpr auto fields() {
    return std::tuple_cat(
        NvmeController::fields(),
        std::tuple{field("namespaces", &DriveView::namespaces, "what it leads to")});
  }
};
DriveView view_of(const Nvme& nvme, const NvmeController& controller);

struct AuditRequest {
  std::optional<std::string> profile;
  std::optional<std::string> inline_profile;

  static constexpr std::string_view kSchema = "AuditRequest";
  template <class Self = AuditRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("profile", &Self::profile, "the name of a profile; default: the configured one"),
        field("inline", &Self::inline_profile, "in place of a name: a profile as YAML text"),
    };
  }
};

struct ProfileFault {
  std::optional<std::int64_t> line;
  std::string detail;
  std::optional<std::string> nearest;

  static constexpr std::string_view kSchema = "ProfileFault";
  template <class Self = ProfileFault>
  static constexpr auto fields() {
    return std::tuple{
        field("line", &Self::line, "of the text, from 1; null if it is about no line of it"),
        field("detail", &Self::detail, "what is wrong"),
        field("nearest", &Self::nearest, "the valid name that may be meant; null if none is near"),
    };
  }
};

struct ValidationView {
  bool valid = false;
  std::vector<ProfileFault> errors;

  static constexpr std::string_view kSchema = "Validation";
  template <class Self = ValidationView>
  static constexpr auto fields() {
    return std::tuple{
        field("valid", &Self::valid, "the profile could be used as it is"),
        field("errors", &Self::errors, "the first thing that is wrong; empty if it is valid"),
    };
  }
};

}  // namespace lk
