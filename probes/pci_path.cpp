#include "probes/pci_path.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "probes/link_verdict.hpp"
#include "probes/pci_config.hpp"

namespace lk {

namespace {

bool all_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

// "Unknown" is the kernel's own answer for a link that is down or emulated: absent, not malformed.
std::optional<double> read_speed(ProbeContext& context, const std::string& field,
                                 const std::string& device, const char* file) {
  const std::string path = device + file;
  const auto text = context.word(field, path);
  if (!text) return std::nullopt;
  const auto speed = parse_link_speed(*text);
  if (speed) {
    context.keep_text("sys/bus/pci/devices/" + std::string(base_name(device)) + file, *text);
    return *speed;
  }
  if (text->starts_with("Unknown")) {
    context.missing(field, Cause::absent, "the kernel says \"" + *text + "\"", path);
  } else {
    context.problem(field, Error{speed.error().what, path, 0});
  }
  return std::nullopt;
}

std::optional<std::int64_t> read_width(ProbeContext& context, const std::string& field,
                                       const std::string& path) {
  const auto width = context.integer(field, path);
  if (!width) return std::nullopt;
  if (*width >= 1 && *width <= 32) return width;
  // 0 lanes: the link is down or emulated. 63: configuration space reads as all ones.
  const bool unset = *width == 0;
  context.missing(field, unset ? Cause::absent : Cause::malformed,
                  unset ? "the kernel says 0 lanes, which no link has"
                        : "no link has " + std::to_string(*width) + " lanes",
                  path);
  return std::nullopt;
}

PortLink read_link(ProbeContext& context, const std::string& field, const std::string& device) {
  return {.speed_gts = read_speed(context, field + ".speed_gts", device, "/current_link_speed"),
          .width = read_width(context, field + ".width", device + "/current_link_width"),
          .max_speed_gts = read_speed(context, field + ".max_speed_gts", device, "/max_link_speed"),
          .max_width = read_width(context, field + ".max_width", device + "/max_link_width"),
          .target_speed_gts = {}};
}

// One link/ attribute. The kernel shows one only if both ends offer the state and only while it
// may change ASPM itself, so with ASPM under its control a missing one means: never enabled.
std::optional<bool> read_aspm(ProbeContext& context, const std::string& field,
                              const std::string& device, const char* file) {
  const auto text = context.optional_text(field, device + file);
  if (text) {
    const auto value = parse_bool(*text);
    if (value) return *value;
    context.problem(field, Error{value.error().what, device + file, 0});
    return std::nullopt;
  }
  if (context.inventory.pci.aspm.os_control == true && context.root.exists(device + "/link")) {
    return false;
  }
  return std::nullopt;
}

// What the registers of both ends say: a link is in L1 only if both enable it, in L0s if one does.
LinkAspm aspm_of(const PathElement* above, const PathElement& lower) {
  LinkAspm aspm;
  if (above == nullptr || !leads_down(above->kind)) return aspm;
  const auto& upper = above->aspm_control;
  const auto& own = lower.aspm_control;
  const auto has = [](const std::optional<std::int64_t>& control, std::int64_t bit) {
    return control && (*control & bit) != 0;
  };
  if (has(upper, 1) || has(own, 1)) aspm.l0s = true;
  if (upper && own) aspm.l0s = has(upper, 1) || has(own, 1);
  if ((upper && !has(upper, 2)) || (own && !has(own, 2))) aspm.l1 = false;
  if (has(upper, 2) && has(own, 2)) aspm.l1 = true;
  if (aspm.l0s || aspm.l1) aspm.source = AspmSource::config_space;
  return aspm;
}

// Only PCI Express functions have link attributes; a bridge without them is conventional or an
// emulated one. Ports then follow one another as the standard has it: root port, and for each
// switch an upstream and a downstream port.
PortKind kind_of(ProbeContext& context, const std::string& device, bool last, PortKind above) {
  if (last) return PortKind::endpoint;
  if (driver_of(context.root, device) == "vmd") return PortKind::vmd;
  const auto text = context.optional_text("nvme.controllers[].path[].kind", device + "/class");
  const auto code = text ? parse_hex(*text) : Result<std::uint64_t>(std::uint64_t{0});
  if (!code || *code >> 8U != 0x0604U) return PortKind::unknown;
  switch (above) {
    case PortKind::root_port:
    case PortKind::switch_downstream:
      return PortKind::switch_upstream;
    case PortKind::switch_upstream:
      return PortKind::switch_downstream;
    case PortKind::bridge:
      return PortKind::bridge;
    default:
      return context.root.exists(device + "/max_link_speed") ? PortKind::root_port
                                                             : PortKind::bridge;
  }
}

// Reads one element after the other, root first.
class PathReader {
 public:
  PathReader(ProbeContext& context, std::string at) : context_(context), at_(std::move(at)) {}

  // `above` is the element before it, null for the first.
  void read(PathElement& element, const std::string& device, const PathElement* above,
            bool leave_alone) {
    if (sleeper_.empty()) sleeper_ = asleep(context_.root, device);
    ConfigSpace config;
    if (leave_alone) {
      config = {
          {},
          Cause::not_applicable,
          {"the function belongs to a user-space driver; its registers are left alone", device, 0}};
      no_link(config);
    } else if (!sleeper_.empty()) {
      config = {{}, Cause::unreadable, {sleeper_, device, 0}};
      no_link(config);
    } else {
      config = read_config_space(context_.root, device);
      read_ends(element, device);
    }
    take(element, config);
    read_aspm_of(element, device, above, config);
    judge_cap(element, device, above);
    above_config_ = std::move(config);
  }

 private:
  void no_link(const ConfigSpace& why) {
    for (const char* each : {".speed_gts", ".width", ".max_speed_gts", ".max_width"}) {
      why.book(context_, at_ + ".link" + each);
    }
  }

  void read_ends(PathElement& element, const std::string& device) {
    if (element.kind == PortKind::vmd) {
      no_link({{}, Cause::not_applicable, {"VMD stands in the root complex", device, 0}});
    } else {
      element.link = read_link(context_, at_ + ".link", device);
    }
  }

  void take(PathElement& element, const ConfigSpace& config) {
    const auto& express = config.express;
    if (!express) {
      for (const char* each :
           {".aspm_control", ".max_payload_supported_bytes", ".max_payload_bytes",
            ".max_read_request_bytes", ".link.target_speed_gts"}) {
        config.book(context_, at_ + each);
      }
      return;
    }
    element.max_payload_supported_bytes = express->max_payload_supported;
    element.max_payload_bytes = express->max_payload;
    element.max_read_request_bytes = express->max_read_request;
    if (!express->has_link) {
      for (const char* each : {".aspm_control", ".link.target_speed_gts"}) {
        context_.missing(at_ + each, Cause::not_applicable,
                         "it stands in the root complex: no link");
      }
      return;
    }
    element.aspm_control = express->aspm_control;
    element.link.target_speed_gts = express->target_speed_gts;
    if (!express->target_speed_gts) {
      context_.missing(at_ + ".link.target_speed_gts", Cause::absent,
                       "the function has no register for a target speed");
    }
  }

  // Registers before the kernel's cached view of them, which knows nothing of what firmware set
  // while the kernel does not control ASPM.
  void read_aspm_of(PathElement& element, const std::string& device, const PathElement* above,
                    const ConfigSpace& config) {
    const std::string field = at_ + ".aspm";
    if (!leads_up(element.kind)) {
      const ConfigSpace why{{},
                            Cause::not_applicable,
                            {"no link leads up from it; see the element below", device, 0}};
      why.book(context_, field + ".l0s");
      why.book(context_, field + ".l1");
      return;
    }
    LinkAspm aspm = aspm_of(above, element);
    if (!aspm.l0s || !aspm.l1) {
      const LinkAspm attributes{read_aspm(context_, field + ".l0s", device, "/link/l0s_aspm"),
                                read_aspm(context_, field + ".l1", device, "/link/l1_aspm"),
                                AspmSource::link_attributes};
      if (attributes.l0s || attributes.l1) aspm = attributes;
    }
    if (!aspm.l0s) book_aspm(field + ".l0s", device, config);
    if (!aspm.l1) book_aspm(field + ".l1", device, config);
    element.aspm = aspm;
  }

  // A lack of rights comes first: it can be mended.
  void book_aspm(const std::string& field, const std::string& device, const ConfigSpace& config) {
    for (const auto* each : {&config, &std::as_const(above_config_)}) {
      if (each->leaves_open()) return each->book(context_, field);
    }
    context_.missing(field, Cause::absent,
                     "neither the registers of both ends nor the kernel tell the ASPM state of "
                     "this link",
                     device + "/link");
  }

  void judge_cap(PathElement& element, const std::string& device, const PathElement* above) {
    const std::string field = at_ + ".capped_by_firmware";
    if (!leads_up(element.kind) || above == nullptr || !leads_down(above->kind)) {
      context_.missing(field, Cause::not_applicable, "no port above it shows a link to it", device);
      return;
    }
    element.capped_by_firmware = is_capped(above->link, element.link);
    if (element.capped_by_firmware) return;
    if (above->link.target_speed_gts || above_config_.express) {
      context_.missing(field, Cause::absent, "not told by the ends of the link; see path[].link",
                       device);
    } else {
      above_config_.book(context_, field);
    }
  }

  ProbeContext& context_;
  std::string at_;
  ConfigSpace above_config_;  // of the element before
  std::string sleeper_;       // why an element must not be woken; all below it sleep too
};

}  // namespace

bool is_pci_address(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3 || parts[0].size() < 4 || parts[0].size() > 8) return false;
  const auto slot = split(parts[2], '.');
  return slot.size() == 2 && all_hex(parts[0]) && parts[1].size() == 2 && all_hex(parts[1]) &&
         slot[0].size() == 2 && all_hex(slot[0]) && slot[1].size() == 1 && all_hex(slot[1]);
}

bool pci_address_less(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

std::vector<std::string> pci_functions(std::string_view real_path) {
  std::vector<std::string> functions;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = real_path.find('/', end + 1);
    const auto prefix = real_path.substr(0, end);
    if (is_pci_address(base_name(prefix))) functions.emplace_back(prefix);
  }
  return functions;
}

std::optional<std::string> driver_of(const Root& root, const std::string& device) {
  const auto target = root.link_target(device + "/driver");
  if (!target) return std::nullopt;
  return std::string(base_name(*target));
}

bool is_user_space_driver(const std::optional<std::string>& driver) {
  return driver &&
         (driver->find("vfio") != std::string::npos || driver->find("uio") != std::string::npos);
}

std::vector<PathElement> read_pci_path(ProbeContext& context,
                                       const std::vector<std::string>& functions,
                                       const std::string& field, bool leave_alone) {
  std::vector<PathElement> path;
  path.reserve(functions.size());
  const std::string at = field + ".path[]";
  PathReader reader(context, at);
  for (const auto& device : functions) {
    const bool last = &device == &functions.back();
    const PathElement* above = path.empty() ? nullptr : &path.back();
    PathElement element;
    element.address = base_name(device);
    element.kind = kind_of(context, device, last, above ? above->kind : PortKind::unknown);
    reader.read(element, device, above, last && leave_alone);
    element.runtime_pm = context.word(at + ".runtime_pm", device + "/power/control");
    path.push_back(std::move(element));
  }
  return path;
}

}  // namespace lk
