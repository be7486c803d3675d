#include "probes/inventory.hpp"

#include "base/json_read.hpp"
#include "base/json_write.hpp"

namespace lk {

std::string inventory_json(const Inventory& inventory, int indent) {
  return to_json(inventory, indent);
}

Result<Inventory> inventory_from_json(std::string_view text) {
  return from_json<Inventory>(text);
}

std::string content_digest(const Inventory& inventory) {
  Inventory still = inventory;
  still.generation = 0;
  still.collected_at.clear();
  for (auto& probe : still.probes) probe.duration_us = 0;
  for (auto& controller : still.nvme.controllers) controller.temperature_c.reset();
  if (still.workloads) {
    for (auto& each : *still.workloads) {
      each.processes = 0;
      if (each.memory_bytes) each.memory_bytes->clear();
    }
  }
  return to_json(still);
}

}  // namespace lk
