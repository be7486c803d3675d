// Queue attributes of one disk. kernel.md 2.6.
#pragma once

#include "probes/probe.hpp"

namespace lk {

// What was read of a disk's queue/ and mq/, in one visit.
struct QueueReading {
  BlockQueue queue;
  std::optional<std::int64_t> lba_bytes;
};

// Reads sys/... `directory`/queue of the disk `name`. Nothing if it hung before: the Problem for
// `field` ("block[].queue") is then booked. Every file below may block for good on a sick device.
std::optional<QueueReading> read_queue(ProbeContext& context, const std::string& name,
                                       const std::string& directory, const std::string& field);

}  // namespace lk
