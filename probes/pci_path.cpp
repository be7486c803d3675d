#include "probes/pci_path.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace lk {

namespace {

bool all_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

// "Unknown" is the kernel's own answer for a link that is down or emulated: absent, not malformed.
std::optional<double> read_speed(ProbeContext& context, const std::string& field,
                                 const std::string& path) {
  const auto text = context.word(field, path);
  if (!text) return std::nullopt;
  const auto speed = parse_link_speed(*text);
  if (speed) return *speed;
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
  return {
      .speed_gts = read_speed(context, field + ".speed_gts", device + "/current_link_speed"),
      .width = read_width(context, field + ".width", device + "/current_link_width"),
      .max_speed_gts = read_speed(context, field + ".max_speed_gts", device + "/max_link_speed"),
      .max_width = read_width(context, field + ".max_width", device + "/max_link_width")};
}

void no_link(ProbeContext& context, const std::string& field, Cause cause, const std::string& why,
             const std::string& path) {
  for (const char* each : {".speed_gts", ".width", ".max_speed_gts", ".max_width"}) {
    context.missing(field + each, cause, why, path);
  }
}

// One link/ attribute. The kernel shows one only if both ends offer the state and only while it
// may change ASPM itself, so with ASPM under its control a missing one means: never enabled.
std::optional<bool> read_aspm(ProbeContext& context, const std::string& field,
                              const std::string& path) {
  const auto text = context.optional_text(field, path);
  if (text) {
    const auto value = parse_bool(*text);
    if (value) return *value;
    context.problem(field, Error{value.error().what, path, 0});
    return std::nullopt;
  }
  if (context.inventory.pci.aspm.os_control == true) return false;
  context.missing(field, Cause::absent,
                  "the kernel shows no ASPM state of this link: it may not control ASPM, or an end "
                  "does not offer it",
                  path);
  return std::nullopt;
}

LinkAspm read_link_aspm(ProbeContext& context, const std::string& field, const std::string& device,
                        PortKind kind) {
  LinkAspm aspm;
  if (kind != PortKind::endpoint && kind != PortKind::switch_upstream) {
    const std::string why = "no link leads up from it; see the element below";
    context.missing(field + ".l0s", Cause::not_applicable, why, device);
    context.missing(field + ".l1", Cause::not_applicable, why, device);
    return aspm;
  }
  if (!context.root.exists(device + "/link")) {
    const std::string why = "the kernel keeps no ASPM state of this link";
    context.missing(field + ".l0s", Cause::absent, why, device + "/link");
    context.missing(field + ".l1", Cause::absent, why, device + "/link");
    return aspm;
  }
  aspm.l0s = read_aspm(context, field + ".l0s", device + "/link/l0s_aspm");
  aspm.l1 = read_aspm(context, field + ".l1", device + "/link/l1_aspm");
  if (aspm.l0s || aspm.l1) aspm.source = AspmSource::link_attributes;
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

// What both ends of a link can do; nothing if an end does not say.
template <class T>
std::optional<T> lesser(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}

template <class T>
std::optional<bool> below(const std::optional<T>& now, const std::optional<T>& achievable) {
  if (!now || !achievable) return std::nullopt;
  return *now < *achievable;
}

// True if either is, false only if both are known to be.
std::optional<bool> either(std::optional<bool> a, std::optional<bool> b) {
  if (a == true || b == true) return true;
  if (!a || !b) return std::nullopt;
  return false;
}

bool leads_up(PortKind kind) {
  return kind == PortKind::endpoint || kind == PortKind::switch_upstream;
}

bool leads_down(PortKind kind) {
  return kind == PortKind::root_port || kind == PortKind::switch_downstream;
}

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

std::vector<PathElement> read_pci_path(ProbeContext& context,
                                       const std::vector<std::string>& functions,
                                       const std::string& field, bool leave_alone) {
  std::vector<PathElement> path;
  PortKind above = PortKind::unknown;
  for (const auto& device : functions) {
    const bool last = &device == &functions.back();
    const std::string at = field + ".path[]";
    PathElement element;
    element.address = base_name(device);
    element.kind = kind_of(context, device, last, above);
    if (last && leave_alone) {
      no_link(context, at + ".link", Cause::not_applicable,
              "the function belongs to a user-space driver; its registers are left alone", device);
    } else if (element.kind == PortKind::vmd) {
      no_link(context, at + ".link", Cause::not_applicable, "VMD stands in the root complex",
              device);
    } else {
      element.link = read_link(context, at + ".link", device);
    }
    element.aspm = read_link_aspm(context, at + ".aspm", device, element.kind);
    element.runtime_pm = context.word(at + ".runtime_pm", device + "/power/control");
    above = element.kind;
    path.push_back(std::move(element));
  }
  return path;
}

DriveLink judge_link(const std::vector<PathElement>& path) {
  DriveLink verdict;
  if (path.empty()) return verdict;
  const PortLink& own = path.back().link;
  verdict.speed_gts = own.speed_gts;
  verdict.width = own.width;
  verdict.max_speed_gts = own.max_speed_gts;
  verdict.max_width = own.max_width;
  // Without a port above (integrated or emulated functions) the drive's own end is all there is.
  PortLink port = own;
  if (path.size() > 1 && leads_down(path[path.size() - 2].kind)) port = path[path.size() - 2].link;
  verdict.achievable_speed_gts = lesser(own.max_speed_gts, port.max_speed_gts);
  verdict.achievable_width = lesser(own.max_width, port.max_width);
  verdict.degraded = either(below(own.speed_gts, verdict.achievable_speed_gts),
                            below(own.width, verdict.achievable_width));
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    if (!leads_up(path[i].kind) || !leads_down(path[i - 1].kind)) continue;
    const PortLink& lower = path[i].link;
    const PortLink& upper = path[i - 1].link;
    verdict.degraded =
        either(verdict.degraded,
               either(below(lower.speed_gts, lesser(lower.max_speed_gts, upper.max_speed_gts)),
                      below(lower.width, lesser(lower.max_width, upper.max_width))));
  }
  return verdict;
}

}  // namespace lk
