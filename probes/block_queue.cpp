#include "probes/block_queue.hpp"

#include <cerrno>

#include "base/text.hpp"

namespace lk {

namespace {

// wbt_lat_usec answers EINVAL where write-back throttling was never set up: an ordinary answer.
std::optional<std::int64_t> read_wbt(ProbeContext& context, const std::string& field,
                                     const std::string& path) {
  const auto text = context.root.read(path);
  if (!text && text.error().err == EINVAL) {
    context.missing(field, Cause::not_applicable, "write-back throttling is not set up", path);
    return std::nullopt;
  }
  return context.integer(field, path);
}

std::optional<std::int64_t> hardware_tags(ProbeContext& context, const std::string& field,
                                          const std::string& directory) {
  const auto queues = context.root.list(directory + "/mq");
  if (!queues || queues->empty()) {
    context.missing(field, Cause::not_applicable, "the device has no hardware queues of its own",
                    directory + "/mq");
    return std::nullopt;
  }
  return context.integer(field, directory + "/mq/" + queues->front() + "/nr_tags");
}

}  // namespace

std::optional<QueueReading> read_queue(ProbeContext& context, const std::string& name,
                                       const std::string& directory, const std::string& field) {
  if (!context.enter("block:" + name, field)) return std::nullopt;
  const std::string base = directory + "/queue/";
  if (!context.root.exists(directory + "/queue")) {
    context.missing(field, Cause::absent, "the kernel shows no queue of it", directory + "/queue");
    return std::nullopt;
  }
  const auto number = [&](const char* attribute) {
    return context.integer(field + "." + attribute, base + attribute);
  };
  QueueReading reading;
  BlockQueue& queue = reading.queue;
  queue.device = name;
  if (auto selector = context.selector(field + ".scheduler", base + "scheduler",
                                       "sys/block/" + name + "/queue/scheduler")) {
    queue.scheduler = std::move(selector->chosen);
    queue.schedulers = std::move(selector->offered);
  }
  queue.nr_requests = number("nr_requests");
  queue.hardware_tags = hardware_tags(context, field + ".hardware_tags", directory);
  queue.nomerges = number("nomerges");
  queue.rq_affinity = number("rq_affinity");
  queue.wbt_lat_usec = read_wbt(context, field + ".wbt_lat_usec", base + "wbt_lat_usec");
  queue.max_sectors_kb = number("max_sectors_kb");
  queue.max_hw_sectors_kb = number("max_hw_sectors_kb");
  queue.read_ahead_kb = number("read_ahead_kb");
  queue.io_poll = number("io_poll");
  queue.iostats = number("iostats");
  queue.write_cache = context.word(field + ".write_cache", base + "write_cache");
  queue.rotational = number("rotational");
  const auto parent = field.substr(0, field.rfind('.'));
  reading.lba_bytes = context.integer(parent + ".lba_bytes", base + "logical_block_size");
  return reading;
}

}  // namespace lk
