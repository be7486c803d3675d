#include "api/views.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace lk {

KnobView view_of(const Knob& knob) {
  KnobView out;
  out.id = std::string(knob.id);
  out.title = std::string(knob.title);
  out.scope = knob.scope;
  out.risk = knob.risk;
  out.power_cost = knob.power_cost;
  out.io_stall = knob.io_stall;
  out.unit = std::string(knob.unit);
  out.doc = std::string(trim(knob.doc));
  out.why = std::string(trim(knob.why));
  return out;
}

ProfileView view_of(const Profile& profile) {
  ProfileView out{profile.name, profile.description, profile.extends, profile.file, {}};
  for (const auto& each : profile.checks) {
    const auto expect = each.expect ? std::optional(each.expect->text) : std::nullopt;
    out.checks.push_back({each.id, each.knob, expect, each.where, each.severity, each.tune,
                          each.enforce, each.why, each.origin});
  }
  return out;
}

DriveView view_of(const Nvme& nvme, const NvmeController& controller) {
  DriveView out{controller, {}};
  const auto leads_here = [&](const NamespacePath& each) {
    return each.controller == controller.name;
  };
  for (const auto& each : nvme.namespaces) {
    if (std::any_of(each.paths.begin(), each.paths.end(), leads_here)) {
      out.namespaces.push_back(each);
    }
  }
  return out;
}

}  // namespace lk
