// The host as people see it: `lanekeeper inventory` without --json.
#pragma once

#include "daemon/terminal.hpp"
#include "probes/inventory.hpp"

namespace lk {

// `more` is what commands that it names must carry: " --root DIR", or nothing.
std::string picture(const Inventory& inventory, const Terminal& terminal, const std::string& more);

// The parts, each ended by a newline; empty if there is nothing to say.
std::string picture_host(const Inventory& inventory, const Terminal& terminal);
std::string picture_nodes(const Inventory& inventory, const Terminal& terminal);
std::string picture_disks(const Inventory& inventory, const Terminal& terminal);
std::string picture_trouble(const Inventory& inventory, const Terminal& terminal,
                            const std::string& more);

// "unknown (permission denied)": why the value of `field` is null, as the probes noted it. `hint`
// as in find_problem: part of a path of the object that is meant.
std::string unknown(const Inventory& inventory, const std::string& field,
                    std::string_view hint = {});

// How people call a controller: "nvme0", or the PCI address of one without a name.
std::string short_name(const NvmeController& controller);
// Why its node is not known.
std::string node_reason(const NvmeController& controller);

}  // namespace lk
