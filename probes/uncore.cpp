#include <cerrno>

#include "base/text.hpp"
#include "probes/probe.hpp"

namespace lk {

namespace {

constexpr const char* kDir = "sys/devices/system/cpu/intel_uncore_frequency";

// On parts with clusters (TPMI) the folders uncoreNN are numbered in the order of probing, so the
// id is made of package, domain and cluster; those files are root's.
std::string domain_id(ProbeContext& context, const std::string& name, const std::string& dir) {
  if (!name.starts_with("uncore")) return name;
  std::string id;
  for (const auto* part : {"package_id", "domain_id", "fabric_cluster_id"}) {
    const auto text = context.optional_text("uncore[].id", dir + part);
    if (!text || text->empty()) return name;
    id += (id.empty() ? "" : "/") + std::string(part).substr(0, std::string_view(part).size() - 3) +
          ':' + *text;
  }
  return id;
}

// "package_01_die_00" -> 1
std::optional<std::int64_t> package_of(ProbeContext& context, const std::string& name,
                                       const std::string& dir) {
  const std::string field = "uncore[].package";
  if (name.starts_with("uncore")) return context.integer(field, dir + "package_id");
  constexpr std::string_view kStem = "package_";
  const auto digits = std::string_view(name).substr(kStem.size());
  const auto number = parse_int(digits.substr(0, digits.find('_')));
  if (number) return *number;
  context.missing(field, Cause::malformed, "the folder's name holds no package", dir);
  return std::nullopt;
}

UncoreDomain read_domain(ProbeContext& context, const std::string& name) {
  const auto dir = std::string(kDir) + '/' + name + '/';
  UncoreDomain domain;
  domain.directory = name;
  domain.id = domain_id(context, name, dir);
  domain.package = package_of(context, name, dir);
  domain.min_khz = context.integer("uncore[].min_khz", dir + "min_freq_khz");
  domain.max_khz = context.integer("uncore[].max_khz", dir + "max_freq_khz");
  domain.initial_min_khz =
      context.integer("uncore[].initial_min_khz", dir + "initial_min_freq_khz");
  domain.initial_max_khz =
      context.integer("uncore[].initial_max_khz", dir + "initial_max_freq_khz");
  return domain;
}

void book_absence(ProbeContext& context, const Error& error) {
  const auto& host = context.inventory.host;
  const auto& vendor = context.inventory.cpu.vendor;
  if (error.err != ENOENT) {
    context.problem("uncore", error);
  } else if (vendor && *vendor != "GenuineIntel") {
    context.missing("uncore", Cause::not_applicable,
                    "the kernel shows this control of Intel CPUs only", kDir);
  } else if (host.virtualization && *host.virtualization != "none" &&
             *host.virtualization != "container") {
    context.missing("uncore", Cause::not_applicable, "a virtual machine has no such control", kDir);
  } else {
    context.missing("uncore", Cause::absent,
                    "no driver for it is loaded: intel_uncore_frequency, or on Xeon 6 "
                    "intel_uncore_frequency_tpmi, which Linux 6.1 does not have",
                    kDir);
  }
}

void run(ProbeContext& context) {
  const auto names = context.root.list(kDir);
  if (!names) {
    book_absence(context, names.error());
    return;
  }
  auto& domains = context.inventory.uncore.emplace();
  for (const auto& name : *names) {
    if (!name.starts_with("package_") && !name.starts_with("uncore")) continue;
    domains.push_back(read_domain(context, name));
  }
}

}  // namespace

extern const Probe kUncore{"uncore", "sys/devices/system/cpu/intel_uncore_frequency", run,
                           [](const Inventory& inventory) { return inventory.uncore.has_value(); }};

}  // namespace lk
