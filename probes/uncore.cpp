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

void run(ProbeContext& context) {
  const auto names = context.root.list(kDir);
  if (!names) {
    context.problem("uncore", names.error());
    return;
  }
  auto& domains = context.inventory.uncore.emplace();
  for (const auto& name : *names) {
    if (!name.starts_with("package_") && !name.starts_with("uncore")) continue;
    const auto dir = std::string(kDir) + '/' + name + '/';
    UncoreDomain domain;
    domain.id = domain_id(context, name, dir);
    domain.min_khz = context.integer("uncore[].min_khz", dir + "min_freq_khz");
    domain.max_khz = context.integer("uncore[].max_khz", dir + "max_freq_khz");
    domain.initial_min_khz =
        context.integer("uncore[].initial_min_khz", dir + "initial_min_freq_khz");
    domain.initial_max_khz =
        context.integer("uncore[].initial_max_khz", dir + "initial_max_freq_khz");
    domains.push_back(std::move(domain));
  }
}

}  // namespace

extern const Probe kUncore{"uncore", "sys/devices/system/cpu/intel_uncore_frequency", run,
                           [](const Inventory& inventory) { return inventory.uncore.has_value(); }};

}  // namespace lk
