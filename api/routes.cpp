#include "api/handlers.hpp"
#include "api/metrics.hpp"
#include "api/route.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

namespace {

constexpr auto kGet = Method::get;
constexpr auto kRead = Access::reader;
constexpr auto kAnyone = Access::anyone;

template <NamedEnum E>
std::vector<std::string> words_of() {
  std::vector<std::string> out;
  for (const auto& each : names(E{})) out.emplace_back(each.second);
  return out;
}

Parameter in_path(std::string_view name, std::string_view doc) {
  return {name, doc, true, false, {}};
}

template <auto Member>
Response get_part(const Request& request, Api& api) {
  return part_response(request, api,
                       [](const Inventory& inventory) { return to_json(inventory.*Member); });
}

template <auto Member>
Route part(std::string_view pattern, std::string_view operation_id, std::string_view summary) {
  using Part = std::remove_reference_t<decltype(std::declval<Inventory&>().*Member)>;
  return {kGet, pattern, kRead, get_part<Member>, operation_id, summary, json_body<Part>(true),
          {},   {503}};
}

Body text_body(std::string_view content_type, bool etag) {
  return {content_type, nullptr, etag};
}

std::vector<Parameter> audit_parameters() {
  return {
      {"profile", "the profile's name; default: the configured one", false, false, {}},
      {"verdict", "only findings with one of these verdicts; the summary counts all", false, true,
       words_of<Verdict>()},
      {"severity", "only findings with one of these severities; the summary counts all", false,
       true, words_of<Severity>()},
      {"only", "only findings of these checks; the summary counts all", false, true, {}},
  };
}

// A pattern without parameters stands before one that it would fit too.
std::vector<Route> table() {
  return {
      {kGet, "/", kAnyone, get_index, "getIndex", "This list, for people",
       text_body("text/html; charset=utf-8", true)},
      {kGet,
       "/v1/inventory",
       kRead,
       get_inventory,
       "getInventory",
       "Everything about the host",
       json_body<Inventory>(true),
       {},
       {503}},
      part<&Inventory::host>("/v1/inventory/host", "getHost", "Machine and kernel"),
      part<&Inventory::cpu>("/v1/inventory/cpu", "getCpu", "Processors"),
      part<&Inventory::numa>("/v1/inventory/numa", "getNuma", "NUMA nodes and clustering"),
      part<&Inventory::nvme>("/v1/inventory/nvme", "getNvme", "NVMe controllers and namespaces"),
      part<&Inventory::block>("/v1/inventory/block", "getBlock", "All disks"),
      part<&Inventory::pci>("/v1/inventory/pci", "getPci", "PCI Express"),
      part<&Inventory::cpufreq>("/v1/inventory/cpufreq", "getCpufreq", "CPU frequency"),
      part<&Inventory::cpuidle>("/v1/inventory/cpuidle", "getCpuidle", "CPU idle states"),
      part<&Inventory::uncore>("/v1/inventory/uncore", "getUncore", "Uncore frequency domains"),
      part<&Inventory::irqs>("/v1/inventory/irqs", "getIrqs", "Interrupts"),
      part<&Inventory::kernel>("/v1/inventory/kernel", "getKernel", "Kernel settings"),
      part<&Inventory::tuners>("/v1/inventory/tuners", "getTuners",
                               "Rival services that write the same settings"),
      part<&Inventory::workloads>("/v1/inventory/workloads", "getWorkloads",
                                  "Who uses each drive, from where"),
      part<&Inventory::probes>("/v1/inventory/probes", "getProbes",
                               "How each part was read, and why values are null"),
      {kGet,
       "/v1/inventory/nvme/{drive}",
       kRead,
       get_drive,
       "getDrive",
       "One drive",
       json_body<DriveView>(true),
       {in_path("drive", "name, serial, PCI address, slot, wwid or id")},
       {404, 409, 503}},
      {kGet, "/v1/knobs", kAnyone, list_knobs, "listKnobs", "Everything that is observed",
       json_body<std::vector<KnobView>>(true)},
      {kGet,
       "/v1/knobs/{id}",
       kAnyone,
       get_knob,
       "getKnob",
       "One knob and its documentation",
       json_body<KnobView>(true),
       {in_path("id", "as cpu.governor")},
       {404}},
      {kGet, "/v1/profiles", kRead, list_profiles, "listProfiles", "Profiles, broken ones too",
       json_body<std::vector<ProfileEntryView>>(true)},
      {kGet,
       "/v1/profiles/{name}",
       kRead,
       get_profile,
       "getProfile",
       "One profile, what it extends worked in",
       json_body<ProfileView>(true),
       {in_path("name", "as balanced")},
       {404, 409}},
      {kGet,
       "/v1/audit",
       kRead,
       get_audit,
       "getAudit",
       "The host against a profile",
       json_body<Audit>(true),
       audit_parameters(),
       {404, 409, 503}},
      {kGet, "/v1/version", kAnyone, get_version, "getVersion", "The running program",
       json_body<VersionView>(true)},
      {kGet, "/livez", kAnyone, get_live, "getLive", "200 while the server answers at all",
       text_body("text/plain", false)},
      {kGet,
       "/readyz",
       kAnyone,
       get_ready,
       "getReady",
       "200 once there is an inventory",
       json_body<ReadyView>(false),
       {},
       {503}},
      {kGet, "/metrics", kRead, get_metrics, "getMetrics", "Prometheus text format 0.0.4",
       text_body(kMetricsType, false)},
      {kGet,
       "/openapi.json",
       kAnyone,
       get_openapi_json,
       "getOpenapiJson",
       "This API's description",
       {"application/json", [](Schemas&) { return std::string(R"({"type":"object"})"); }, true}},
      {kGet, "/openapi.yaml", kAnyone, get_openapi_yaml, "getOpenapiYaml", "This API's description",
       text_body("application/yaml", true)},
      {kGet,
       "/problems/{code}",
       kAnyone,
       get_problem_page,
       "getProblem",
       "What a problem's code means",
       text_body("text/plain; charset=utf-8", false),
       {in_path("code", "as profile_unknown")},
       {404}},
  };
}

}  // namespace

std::span<const Route> routes() {
  static const auto all = table();
  return all;
}

}  // namespace lk
