// PCIe links and power management of links, as the kernel shows them.
#pragma once

#include "base/fields.hpp"

namespace lk {

// One end's view of a link: current_link_speed and its kin. GT/s and lanes.
struct PortLink {
  std::optional<double> speed_gts;
  std::optional<std::int64_t> width;
  std::optional<double> max_speed_gts;
  std::optional<std::int64_t> max_width;
  std::optional<double> target_speed_gts;

  static constexpr std::string_view kSchema = "PortLink";
  template <class Self = PortLink>
  static constexpr auto fields() {
    return std::tuple{
        field("speed_gts", &Self::speed_gts, "current_link_speed"),
        field("width", &Self::width, "current_link_width"),
        field("max_speed_gts", &Self::max_speed_gts, "max_link_speed of this function"),
        field("max_width", &Self::max_width, "max_link_width of this function"),
        field("target_speed_gts", &Self::target_speed_gts,
              "the fastest that this end tries (LNKCTL2 in configuration space); the downstream "
              "port's decides"),
    };
  }
};

// A drive's link against what the whole path could do.
struct DriveLink {
  std::optional<double> speed_gts;
  std::optional<std::int64_t> width;
  std::optional<double> max_speed_gts;
  std::optional<std::int64_t> max_width;
  std::optional<double> achievable_speed_gts;
  std::optional<std::int64_t> achievable_width;
  std::optional<bool> degraded;
  std::optional<bool> capped_by_firmware;
  std::vector<std::string> degraded_at;

  static constexpr std::string_view kSchema = "DriveLink";
  template <class Self = DriveLink>
  static constexpr auto fields() {
    return std::tuple{
        field("speed_gts", &Self::speed_gts, "current_link_speed of the drive"),
        field("width", &Self::width, "current_link_width of the drive"),
        field("max_speed_gts", &Self::max_speed_gts, "max_link_speed of the drive"),
        field("max_width", &Self::max_width, "max_link_width of the drive"),
        field("achievable_speed_gts", &Self::achievable_speed_gts,
              "of the narrowest link on the path, by what both its ends can do"),
        field("achievable_width", &Self::achievable_width, "lanes of that link"),
        field("degraded", &Self::degraded,
              "a link on the path runs below what both its ends can do; null if that cannot be "
              "told"),
        field("capped_by_firmware", &Self::capped_by_firmware,
              "all that is missing is a lower target speed that firmware set on purpose (LNKCTL2 "
              "of the port above the link); null if that cannot be told"),
        field("degraded_at", &Self::degraded_at,
              "lower ends of the links that run below what both ends can do: the drive itself, or "
              "a port further up"),
    };
  }
};

enum class AspmSource { unknown, link_attributes, config_space };
constexpr auto names(AspmSource) {
  return EnumNames<AspmSource, 3>{{{AspmSource::link_attributes, "link_attributes"},
                                   {AspmSource::config_space, "config_space"},
                                   {AspmSource::unknown, "unknown"}}};
}

struct LinkAspm {
  std::optional<bool> l0s;  // true: enabled; null: the kernel shows nothing about it
  std::optional<bool> l1;
  AspmSource source = AspmSource::unknown;

  static constexpr std::string_view kSchema = "LinkAspm";
  template <class Self = LinkAspm>
  static constexpr auto fields() {
    return std::tuple{
        field("l0s", &Self::l0s, "L0s enabled by an end; LNKCTL of both, else link/l0s_aspm"),
        field("l1", &Self::l1, "L1 enabled by both ends; LNKCTL of both, else link/l1_aspm"),
        field("source", &Self::source,
              "config_space (the registers of both ends) or link_attributes (the kernel's cached "
              "view)"),
    };
  }
};

enum class PortKind {
  unknown,
  root_port,
  switch_upstream,
  switch_downstream,
  bridge,
  vmd,
  endpoint
};
constexpr auto names(PortKind) {
  using K = PortKind;
  return EnumNames<K, 7>{{{K::root_port, "root_port"},
                          {K::switch_upstream, "switch_upstream"},
                          {K::switch_downstream, "switch_downstream"},
                          {K::bridge, "bridge"},
                          {K::vmd, "vmd"},
                          {K::endpoint, "endpoint"},
                          {K::unknown, "unknown"}}};
}

struct PathElement {
  std::string address;  // "0000:3a:00.0"
  PortKind kind = PortKind::unknown;
  PortLink link;
  LinkAspm aspm;
  std::optional<bool> capped_by_firmware;
  std::optional<std::int64_t> aspm_control;
  std::optional<std::int64_t> max_payload_supported_bytes;
  std::optional<std::int64_t> max_payload_bytes;
  std::optional<std::int64_t> max_read_request_bytes;
  std::optional<std::string> runtime_pm;  // "on", "auto"

  static constexpr std::string_view kSchema = "PathElement";
  template <class Self = PathElement>
  static constexpr auto fields() {
    return std::tuple{
        field("address", &Self::address, "PCI address"),
        field("kind", &Self::kind, "what stands there"),
        field("link", &Self::link, "its link, as it sees it"),
        field("aspm", &Self::aspm, "of the link to its upstream port"),
        field("capped_by_firmware", &Self::capped_by_firmware,
              "the link to its upstream port runs at a target speed that was set below what both "
              "ends can do"),
        field("aspm_control", &Self::aspm_control,
              "what this end enables: 0 nothing, 1 L0s, 2 L1, 3 both (LNKCTL in configuration "
              "space)"),
        field("max_payload_supported_bytes", &Self::max_payload_supported_bytes,
              "largest packet it can take; DEVCAP in configuration space"),
        field("max_payload_bytes", &Self::max_payload_bytes,
              "largest packet it may send; DEVCTL in configuration space"),
        field("max_read_request_bytes", &Self::max_read_request_bytes,
              "largest read it may ask for; DEVCTL in configuration space"),
        field("runtime_pm", &Self::runtime_pm, "on or auto; power/control"),
    };
  }
};

struct PciAspm {
  std::optional<bool> os_control;
  std::optional<std::string> policy;

  static constexpr std::string_view kSchema = "PciAspm";
  template <class Self = PciAspm>
  static constexpr auto fields() {
    return std::tuple{
        field("os_control", &Self::os_control,
              "whether the kernel may change ASPM; false under pcie_aspm=off, a firmware that "
              "keeps it, or the FADT's no-ASPM bit; null if it cannot be told"),
        field("policy", &Self::policy,
              "default, performance, powersave, powersupersave; "
              "sys/module/pcie_aspm/parameters/policy"),
    };
  }
};

struct Pci {
  PciAspm aspm;

  static constexpr std::string_view kSchema = "Pci";
  template <class Self = Pci>
  static constexpr auto fields() {
    return std::tuple{field("aspm", &Self::aspm, "active-state power management, host-wide")};
  }
};

}  // namespace lk
