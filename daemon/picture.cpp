#include "daemon/picture.hpp"

#include "tuners/observe.hpp"

namespace lk {

namespace {

std::string cause_text(const Problem& problem) {
  switch (problem.cause) {
    case Cause::absent:
      return "the kernel does not show it";
    case Cause::denied:
      return "permission denied";
    case Cause::unreadable:
      return problem.error ? *problem.error : "unreadable";
    case Cause::malformed:
      return "the file makes no sense";
    case Cause::hung:
      return "no answer in time";
    case Cause::not_applicable:
      return "not applicable";
    case Cause::not_asked:
      return "not asked for";
    case Cause::not_yet:
      return "not read yet";
  }
  return "no reason noted";
}

}  // namespace

std::string unknown(const Inventory& inventory, const std::string& field, std::string_view hint) {
  const Problem* problem = find_problem(inventory, field, hint);
  return problem == nullptr ? "unknown" : "unknown (" + cause_text(*problem) + ')';
}

std::string short_name(const NvmeController& controller) {
  return controller.name.value_or(controller.pci_address.value_or(controller.id));
}

std::string node_reason(const NvmeController& controller) {
  if (!controller.numa_node) return "the kernel names no node for it";
  if (*controller.numa_node < 0) {
    return "numa_node is " + std::to_string(*controller.numa_node) +
           " and no port above it knows; set numa_nodes in the configuration";
  }
  return "node " + std::to_string(*controller.numa_node) + " was named, and is not believed";
}

std::string picture(const Inventory& inventory, const Terminal& terminal, const std::string& more) {
  std::vector<std::string> parts;
  for (auto* part : {picture_host, picture_nodes, picture_disks}) {
    if (auto text = part(inventory, terminal); !text.empty()) parts.push_back(std::move(text));
  }
  if (auto text = picture_trouble(inventory, terminal, more); !text.empty()) {
    parts.push_back(std::move(text));
  }
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : "\n") + part;
  return out;
}

}  // namespace lk
