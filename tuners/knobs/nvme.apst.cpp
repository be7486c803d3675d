#include "tuners/observe.hpp"

namespace lk {

namespace {

Observation look(const Inventory& inventory, const std::string& target,
                 const NvmeController& drive) {
  if (!drive.apst) {
    if (is_foreign(drive)) return not_applicable(target, *drive.driver + " owns the function");
    return missing(inventory, target, "nvme.controllers[].apst", hint_of(drive));
  }
  const std::string path =
      "sys/class/nvme/" + drive.name.value_or("") + "/power/pm_qos_latency_tolerance_us";
  auto seen = observed(target, word_or_number(*drive.apst), {{path, *drive.apst}});
  constexpr const char* kDefault = "nvme_core.default_ps_max_latency_us";
  const auto bound = inventory.kernel.parameters.find(kDefault);
  if (bound != inventory.kernel.parameters.end() && bound->second) {
    seen.detail = *bound->second == *drive.apst ? "default" : "default " + *bound->second;
  }
  return seen;
}

std::vector<Observation> observe(const Inventory& inventory) {
  return observe_drives(inventory, look);
}

Remedy remedy(const ObservationGroup& group, const Expectation& wanted) {
  const auto value = wanted_number(wanted);
  return runtime(
      "As root; it holds until the next boot and survives a controller reset. Boot with "
      "nvme_core.default_ps_max_latency_us=" +
          value + " to keep it.",
      write_command(group, value));
}

}  // namespace

extern const Knob kNvmeApst;
const Knob kNvmeApst{
    .id = "nvme.apst",
    .title = "Autonomous power states of the drive (APST)",
    .doc = R"(The longest wake-up latency that the drive may cost itself by going to sleep between
I/Os, in microseconds (`sys/class/nvme/<drive>/power/pm_qos_latency_tolerance_us`). `0` turns
autonomous power states off; `any` and `auto` set no bound. The driver starts each drive with
`nvme_core.default_ps_max_latency_us` (100000); a change of that parameter counts for drives found
afterwards. Drives without such states, and most virtual ones, have no such file.

By hand: `grep . /sys/class/nvme/*/power/pm_qos_latency_tolerance_us`

The drive uses some watts more when idle.)",
    .why =
        "A drive that sleeps between I/Os adds its wake-up time, up to 100 ms by the driver's "
        "default bound, to the first I/O after a pause; some drives vanish from the bus in "
        "their deepest state (raspberrypi/linux#6661).",
    .unit = "us",
    .scope = Scope::nvme,
    .risk = Risk::safe,
    .power_cost = PowerCost::some,
    .kind = ValueKind::either,
    .observe = observe,
    .remedy = remedy,
};

}  // namespace lk
