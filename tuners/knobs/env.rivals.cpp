#include "tuners/observe.hpp"

namespace lk {

namespace {

std::vector<Observation> observe(const Inventory& inventory) {
  std::vector<Observation> all;
  for (const auto& tuner : inventory.tuners) {
    std::vector<Evidence> evidence;
    for (const auto& each : tuner.evidence) evidence.push_back({each, "exists"});
    if (!tuner.active) {
      all.push_back(missing(inventory, "host", "tuners[].active", tuner.name));
      all.back().name = tuner.name;
    } else if (*tuner.active) {
      all.push_back(observed("host", tuner.name, std::move(evidence)));
      if (tuner.profile) all.back().detail = "profile " + *tuner.profile;
      all.back().claims = tuner.owns;
    }
  }
  if (all.empty() && find_problem(inventory, "tuners") != nullptr) {
    return {unseen(inventory, "host", "tuners")};
  }
  if (all.empty()) all.push_back(observed("host", "none", {{"proc/*/comm", "no known tuner"}}));
  return all;
}

Remedy remedy(const ObservationGroup& group, const Expectation&) {
  const auto& name = std::get<std::string>(*group.front()->value);
  return runtime("Change the setting in " + name + ", or stop it, before anything else writes it.",
                 name == "tuned" ? "tuned-adm active; tuned-adm list" : "systemctl status " + name);
}

}  // namespace

extern const Knob kEnvRivals;
const Knob kEnvRivals{
    .id = "env.rivals",
    .title = "Other tuners",
    .doc =
        R"(Services that write the same settings: tuned, power-profiles-daemon, TLP, irqbalance and others. The
value is the name of an active one, or `none`. It becomes a warning where it writes a setting that
the profile would have to change now: both would write it in turn.

By hand: `systemctl list-units --state=running`)",
    .why =
        "Two writers of one setting undo each other, and neither sees why its value does not stay.",
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
