#include "probes/nvme_power.hpp"

namespace lk {

namespace {

const std::string kTemperature = "nvme.controllers[].temperature_c";

bool is_numbered(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && name.size() > stem.size() &&
         name.find_first_not_of("0123456789", stem.size()) == std::string_view::npos;
}

// The monitor's folder: below the controller, or (Linux 5.5) below hwmon/ of its PCI function.
// Neither its listing nor its name asks the drive.
std::optional<std::string> monitor_of(const Root& root, const std::string& directory) {
  for (const auto& base : {directory, directory + "/hwmon", directory + "/device/hwmon"}) {
    const auto entries = root.list(base);
    if (!entries) continue;
    for (const auto& entry : *entries) {
      if (is_numbered(entry, "hwmon")) return base + '/' + entry;
    }
  }
  return std::nullopt;
}

void read_temperature(ProbeContext& context, const std::string& directory, NvmeController& out) {
  const auto monitor = monitor_of(context.root, directory);
  if (!monitor) {
    context.missing(kTemperature, Cause::absent,
                    "the kernel shows no temperature of it (nvme is built without hwmon, or the "
                    "drive reports none)",
                    directory);
    return;
  }
  if (context.root.is_live() && !context.ask_drives) {
    context.missing(kTemperature, Cause::not_asked,
                    "the kernel asks the drive with an admin command, which is sent only if it is "
                    "asked for (inventory --ask-drives)",
                    *monitor);
    return;
  }
  const std::string path = *monitor + "/temp1_input";
  if (!context.root.is_live() && !context.root.exists(path)) {
    context.missing(kTemperature, Cause::not_asked, "a capture does not ask the drives", *monitor);
    return;
  }
  if (!context.enter("nvme:" + out.id + " temperature", kTemperature)) return;
  // temp1 is the composite temperature, in thousandths of a degree.
  const auto millidegrees = context.integer(kTemperature, path);
  if (millidegrees) out.temperature_c = static_cast<double>(*millidegrees) / 1000.0;
}

}  // namespace

void read_drive_power(ProbeContext& context, const std::string& directory, NvmeController& out) {
  if (directory.empty()) {
    context.missing(kTemperature, Cause::not_applicable, "no nvme driver has the function",
                    "sys/bus/pci/devices/" + out.id);
    return;
  }
  read_temperature(context, directory, out);
  const std::string path = directory + "/power/pm_qos_latency_tolerance_us";
  const std::string field = "nvme.controllers[].apst";
  out.apst = context.optional_text(field, path);
  if (!out.apst) {
    context.missing(field, Cause::not_applicable,
                    "the drive has no autonomous power states, or the driver does not use them",
                    path);
  }
}

}  // namespace lk
