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
  static constexpr auto fields() {
    using V = VersionView;
    return std::tuple{
        field("name", &V::name, "lanekeeper"),
        field("version", &V::version, "of the program"),
        field("api", &V::api, "the first part of every path"),
        field("compiler", &V::compiler, "that built it"),
    };
  }
};

struct ReadyView {
  std::string status;
  std::int64_t generation = 0;

  static constexpr std::string_view kSchema = "Ready";
  static constexpr auto fields() {
    return std::tuple{
        field("status", &ReadyView::status, "ready"),
        field("generation", &ReadyView::generation, "of the inventory"),
    };
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
  static constexpr auto fields() {
    using K = KnobView;
    return std::tuple{
        field("id", &K::id, "its name in profiles, metrics and documentation"),
        field("title", &K::title, "one line"),
        field("scope", &K::scope, "what its targets are"),
        field("risk", &K::risk, "of writing it; report_only: it is never written"),
        field("power_cost", &K::power_cost, "of the fast setting"),
        field("io_stall", &K::io_stall, "a write stops the drive's queue for a moment"),
        field("unit", &K::unit, "of its value; empty if it has none"),
        field("doc", &K::doc, "what it is; markdown"),
        field("why", &K::why, "what changes if it is wrong"),
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
  static constexpr auto fields() {
    using P = ProfileEntryView;
    return std::tuple{
        field("name", &P::name, "name"),
        field("description", &P::description, "what it is for, or what is wrong with its file"),
        field("file", &P::file, "where it comes from"),
        field("valid", &P::valid, "whether it can be used"),
        field("default", &P::is_default, "audits use it unless another is named"),
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
  static constexpr auto fields() {
    using C = CheckView;
    return std::tuple{
        field("id", &C::id, "the check's name in findings"),
        field("knob", &C::knob, "the knob that it looks at"),
        field("expect", &C::expect, "what is expected; null: it only reports"),
        field("where", &C::where, "which targets, by their properties"),
        field("severity", &C::severity, "of a fail"),
        field("tune", &C::tune, "whether a plan may set it"),
        field("enforce", &C::enforce, "whether drift is written back"),
        field("why", &C::why, "why it matters; empty: as the knob says"),
        field("origin", &C::origin, "file and line that said it last"),
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
  static constexpr auto fields() {
    using P = ProfileView;
    return std::tuple{
        field("name", &P::name, "name"),
        field("description", &P::description, "what it is for"),
        field("extends", &P::extends, "the profiles that it builds on"),
        field("file", &P::file, "where it comes from"),
        field("checks", &P::checks, "with those of the extended profiles and variables worked in"),
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

}  // namespace lk
