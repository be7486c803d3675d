// The families that tell about the host, the daemon and its process.
#include <sys/resource.h>

#include <ctime>
#include <map>
#include <set>

#include "api/api.hpp"
#include "base/root.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

using Type = MetricsText::Type;

const auto kStarted = std::chrono::system_clock::now();

std::string text_of(const std::optional<std::string>& value) {
  return value.value_or("");
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// RFC 3339 in UTC, as inventories have it: "2024-05-01T12:00:00Z".
std::optional<double> unix_time(const std::string& text) {
  std::tm utc{};
  if (strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr) return std::nullopt;
  return static_cast<double>(timegm(&utc));
}

// "label_<key>" with what Prometheus does not take in names as "_". Keys that become the same name
// are told apart by a number: one name twice would have the whole answer refused.
// `names` holds the text of the names that `to` refers to.
void add_labels(const std::map<std::string, std::string>& from, std::set<std::string>& names,
                MetricsText::Labels& to) {
  for (const auto& [key, value] : from) {
    std::string name = "label_";
    for (const char c : key) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      name += plain ? c : '_';
    }
    std::string unique = name;
    for (int i = 2; !names.insert(unique).second; ++i) unique = name + '_' + std::to_string(i);
    to.emplace_back(*names.find(unique), value);
  }
}

void write_inventory(MetricsText& out, const Inventory& inventory) {
  const auto& host = inventory.host;
  out.family("host_info", Type::gauge, "The host, as labels; those of the configuration, too.");
  MetricsText::Labels labels{{"hostname", text_of(host.hostname)},
                             {"kernel", text_of(host.kernel)},
                             {"vendor", text_of(host.vendor)},
                             {"product", text_of(host.product)},
                             {"bios_version", text_of(host.bios_version)},
                             {"virtualization", text_of(host.virtualization)},
                             {"boot_id", inventory.boot_id}};
  std::set<std::string> names;
  add_labels(inventory.labels, names, labels);
  out.sample(labels, 1);
  out.family("inventory_generation", Type::gauge,
             "Rises when something other than times and counters changed.");
  out.sample({}, static_cast<double>(inventory.generation));
  out.family("inventory_collected_timestamp_seconds", Type::gauge,
             "When the inventory was read that all answers are from.");
  if (const auto time = unix_time(inventory.collected_at)) out.sample({}, *time);
  out.family("probe_success", Type::gauge,
             "0 if a probe could read nothing or not all that the host has.");
  for (const auto& each : inventory.probes) {
    const bool good = each.status == ProbeStatus::ok || each.status == ProbeStatus::unavailable;
    out.sample({{"probe", each.name}}, good ? 1 : 0);
  }
  out.family("probe_duration_seconds", Type::gauge, "Time that a probe took.");
  for (const auto& each : inventory.probes) {
    out.sample({{"probe", each.name}}, static_cast<double>(each.duration_us) / 1e6);
  }
}

void write_drives(MetricsText& out, const Nvme& nvme) {
  out.family("nvme_info", Type::gauge, "An NVMe controller, as labels.");
  for (const auto& each : nvme.controllers) {
    out.sample({{"drive", each.id},
                {"name", text_of(each.name)},
                {"model", text_of(each.model)},
                {"serial", text_of(each.serial)},
                {"firmware", text_of(each.firmware)},
                {"driver", text_of(each.driver)},
                {"transport", text_of(each.transport)},
                {"slot", text_of(each.slot)}},
               1);
  }
  out.family("nvme_link_degraded", Type::gauge,
             "1 if the PCIe link is slower or narrower than drive and path allow.");
  for (const auto& each : nvme.controllers) {
    if (each.link.degraded) out.sample({{"drive", each.id}}, *each.link.degraded ? 1 : 0);
  }
  out.family("nvme_numa_node", Type::gauge, "NUMA node that the drive is attached to.");
  for (const auto& each : nvme.controllers) {
    if (each.effective_node) {
      out.sample({{"drive", each.id}}, static_cast<double>(*each.effective_node));
    }
  }
}

void write_findings(MetricsText& out, const Audit& audit) {
  std::map<std::tuple<std::string, Severity, Verdict, bool>, std::int64_t> targets;
  for (const auto& each : audit.findings) {
    targets[{each.check, each.severity, each.verdict, each.waived}] += each.target_count;
  }
  out.family("finding_targets", Type::gauge,
             "Targets by check and verdict, audited against the default profile.");
  for (const auto& [key, count] : targets) {
    const auto& [check, severity, verdict, waived] = key;
    out.sample({{"check", check},
                {"severity", std::string(name_of(severity))},
                {"verdict", std::string(name_of(verdict))},
                {"waived", waived ? "true" : "false"}},
               static_cast<double>(count));
  }
}

void write_connections(MetricsText& out, const HttpCounters& counters) {
  out.family("http_connections", Type::gauge, "Open connections.");
  out.sample({}, static_cast<double>(counters.open));
  out.family("events_clients", Type::gauge, "Clients that listen to /v1/events.");
  out.sample({}, static_cast<double>(counters.streams));
  out.family("http_connections_accepted_total", Type::counter, "Connections accepted.");
  out.sample({}, static_cast<double>(counters.accepted));
  out.family("http_connections_evicted_total", Type::counter,
             "Waiting connections that were ended to make room for others.");
  out.sample({}, static_cast<double>(counters.evicted));
  out.family("http_connections_over_limit_total", Type::counter,
             "Connections of clients that had as many as they may have, all busy.");
  out.sample({}, static_cast<double>(counters.over_limit));
  out.family("http_timeouts_total", Type::counter, "Clients that were too slow.");
  out.sample({}, static_cast<double>(counters.timed_out));
  out.family("http_accept_errors_total", Type::counter,
             "Connections that could not be accepted, for want of descriptors or memory.");
  out.sample({}, static_cast<double>(counters.accept_errors));
}

// What is told of the host changes with its inventory and audit only.
Text host_metrics(Api& api, const std::shared_ptr<const Snapshot>& snapshot) {
  const auto answer = api.engine.default_audit();
  return api.cache.get(snapshot, "metrics " + (answer ? answer->etag : ""), [&] {
    MetricsText out;
    write_inventory(out, snapshot->inventory);
    write_drives(out, snapshot->inventory.nvme);
    if (answer) write_findings(out, answer->audit);
    return out.take();
  });
}

}  // namespace

void write_process_metrics(MetricsText& out) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  out.plain_family("process_cpu_seconds_total", Type::counter, "User and system CPU time.");
  out.sample({}, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
  out.plain_family("process_start_time_seconds", Type::gauge, "When the process started.");
  out.sample({}, std::chrono::duration<double>(kStarted.time_since_epoch()).count());
  rlimit limit{};
  out.plain_family("process_max_fds", Type::gauge, "Most open file descriptors allowed.");
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.sample({}, static_cast<double>(limit.rlim_cur));
  const auto root = Root::live();
  if (!root) return;
  out.plain_family("process_open_fds", Type::gauge, "Open file descriptors.");
  if (const auto fds = root->list("proc/self/fd")) out.sample({}, static_cast<double>(fds->size()));
  const auto pages = root->read("proc/self/statm");
  if (!pages) return;
  const auto fields = words(*pages);
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto in_bytes = [&](std::size_t i) -> std::optional<double> {
    const auto count = i < fields.size() ? parse_int(fields[i]) : Result<std::int64_t>(Error{});
    if (!count) return std::nullopt;
    return static_cast<double>(*count) * page;
  };
  out.plain_family("process_virtual_memory_bytes", Type::gauge, "Virtual memory size.");
  if (const auto bytes = in_bytes(0)) out.sample({}, *bytes);
  out.plain_family("process_resident_memory_bytes", Type::gauge, "Resident memory size.");
  if (const auto bytes = in_bytes(1)) out.sample({}, *bytes);
}

std::string metrics_text(Api& api) {
  MetricsText out;
  out.family("build_info", Type::gauge, "The running program, as labels.");
  out.sample({{"version", LK_VERSION}, {"compiler", __VERSION__}}, 1);
  if (const auto snapshot = api.engine.snapshot()) out.append(*host_metrics(api, snapshot));
  out.family("inventory_refresh_success", Type::gauge,
             "0 if the host could not be read the last time; answers are from before then.");
  if (const auto success = api.engine.freshness().success) out.sample({}, *success ? 1 : 0);
  api.metrics.write(out);
  write_connections(out, api.http_counters());
  write_process_metrics(out);
  return out.take();
}

}  // namespace lk
