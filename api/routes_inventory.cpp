#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"
#include "probes/find_drive.hpp"
#include "service/inventory_part.hpp"

namespace lk {

namespace {

std::vector<std::string> drive_names(const Inventory& inventory) {
  std::vector<std::string> out;
  for (const auto& each : inventory.nvme.controllers) {
    out.push_back(each.id);
    if (each.name) out.push_back(*each.name);
    if (each.serial) out.push_back(*each.serial);
  }
  for (const auto& each : inventory.nvme.namespaces) out.push_back(each.name);
  return out;
}

Response ambiguous(const Request& request, const std::string& name,
                   const std::vector<const NvmeController*>& drives) {
  std::string ids;
  for (const auto* each : drives) {
    if (!ids.empty()) ids += ", ";
    ids += each->id;
    if (each->name) ids += " (" + *each->name + ")";
  }
  return problem(request, "drive_ambiguous", "\"" + name + "\" fits several drives: " + ids);
}

}  // namespace

Response get_inventory(const Request& request, Api& api) {
  const auto snapshot = api.engine.snapshot();
  if (!snapshot) return not_ready(request, api);
  return json_response(Text(snapshot, &snapshot->json), snapshot->etag);
}

Response get_part(const Request& request, Api& api) {
  const auto snapshot = api.engine.snapshot();
  if (!snapshot) return not_ready(request, api);
  if (auto known = api.cache.find(snapshot, request.path)) {
    return json_response(std::move(known), snapshot->etag);
  }
  return later([&api, snapshot](const Request& same) {
    const auto part = same.path.substr(same.path.rfind('/') + 1);
    const auto make = [&] { return *inventory_part_json(snapshot->inventory, part); };
    return json_response(api.cache.get(snapshot, same.path, make), snapshot->etag);
  });
}

Response get_drive(const Request& request, Api& api) {
  const auto snapshot = api.engine.snapshot();
  if (!snapshot) return not_ready(request, api);
  const auto& inventory = snapshot->inventory;
  const auto& name = request.arguments.find("drive")->second;
  const auto drives = find_drive(inventory, name);
  if (drives.size() > 1) return ambiguous(request, name, drives);
  if (drives.empty()) {
    return problem(
        request, "drive_unknown",
        "no NVMe drive is called \"" + name + "\"" + near_hint(name, drive_names(inventory)));
  }
  const auto text = api.cache.get(snapshot, "drive " + drives[0]->id,
                                  [&] { return to_json(view_of(inventory.nvme, *drives[0])); });
  return json_response(text, snapshot->etag);
}

}  // namespace lk
