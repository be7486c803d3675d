#include "api/problem.hpp"

#include <algorithm>
#include <array>

#include "base/json_write.hpp"

namespace lk {

namespace {

constexpr auto kKinds = std::to_array<ProblemKind>({
    {"access_denied", 403, "Access denied", "Ask an administrator for the right to do this."},
    {"bad_request", 400, "Malformed request", "Correct the request as `detail` says."},
    {"baseline_unknown", 404, "Nothing to compare with",
     "For previous_boot: the state directory keeps inventories from the first start on. For "
     "golden: name a file as `golden` in the configuration."},
    {"baseline_unreadable", 409, "The inventory to compare with cannot be used",
     "Correct or remove the file that `detail` names."},
    {"body_invalid", 422, "Body with wrong content", "Correct what `errors` points at."},
    {"body_malformed", 400, "Body that is no JSON", "Send one JSON text (RFC 8259) as UTF-8."},
    {"body_too_large", 413, "Body too large",
     "Send a smaller body, or none to routes that take none."},
    {"chunk_too_large", 431, "Chunk too large",
     "Send chunks without long extensions and trailers."},
    {"content_type_unsupported", 415, "Unsupported content type",
     "Send the body in a type that the route takes; see /openapi.json."},
    {"drive_ambiguous", 409, "Several drives have that name",
     "Name the drive by its id, PCI address or controller name."},
    {"drive_unknown", 404, "No such drive",
     "GET /v1/inventory/nvme lists the drives; name, serial, PCI address, slot and wwid are "
     "taken."},
    {"expectation_unsupported", 417, "Unsupported expectation", "Send no Expect but 100-continue."},
    {"head_too_large", 431, "Request head too large", "Send fewer or shorter headers."},
    {"host_unknown", 421, "Unknown host name",
     "Address the server as localhost or a loopback address with its port, or add the name to "
     "`allowed_hosts` in its configuration."},
    {"internal_error", 500, "Internal error", "This is a defect; report it with the request_id."},
    {"inventory_stale", 503, "The inventory is old",
     "Look at the host: its devices do not answer, or its tree is gone. Other resources still "
     "answer "
     "from the last good inventory."},
    {"knob_unknown", 404, "No such knob", "GET /v1/knobs lists the knobs."},
    {"method_not_allowed", 405, "Method not allowed", "Use a method of the Allow header."},
    {"method_unknown", 501, "Unknown method", "Use a method of RFC 9110."},
    {"not_acceptable", 406, "Not acceptable", "Accept the type that `detail` names, or any."},
    {"not_found", 404, "No such resource", "GET / lists what there is."},
    {"not_ready", 503, "Not ready yet", "Ask again after the Retry-After header's seconds."},
    {"origin_denied", 403, "Cross-origin request",
     "Send the request from no web page of another origin."},
    {"parameter_invalid", 400, "Invalid query parameter", "Correct the parameters in `errors`."},
    {"parameter_unknown", 400, "Unknown query parameter",
     "Remove or correct the parameters in `errors`."},
    {"precondition_failed", 412, "The resource has changed",
     "GET it again, and decide anew with its ETag."},
    {"profile_invalid", 409, "Broken profile", "Correct the profile's file as `detail` says."},
    {"profile_unknown", 404, "No such profile", "GET /v1/profiles lists the profiles."},
    {"rate_limited", 429, "Too many requests",
     "Ask again after the Retry-After header's seconds, and less often."},
    {"storage_full", 507, "No room to keep it",
     "Nothing was changed. Make room where `state_dir` is, or delete what is no longer needed."},
    {"storage_unavailable", 503, "It cannot be kept",
     "Nothing was changed. Have `state_dir` writable for the daemon, as `detail` says."},
    {"target_too_long", 400, "Request target too long", "Send a shorter path and query."},
    {"too_many_clients", 503, "Too many clients", "Close streams that nobody reads, or ask later."},
    {"too_many_connections", 429, "Too many connections",
     "Use one connection for many requests, or close those that are not needed."},
    {"transfer_encoding_unsupported", 501, "Unsupported transfer coding",
     "Send the body with Content-Length or as chunks."},
    {"version_unsupported", 505, "Unsupported HTTP version", "Speak HTTP/1.1."},
    {"waiver_of_config", 409, "Waiver of the configuration",
     "Remove it from the file that `detail` names, and reload the daemon."},
    {"waiver_unknown", 404, "No such waiver", "GET /v1/waivers lists the waivers."},
});

}  // namespace

std::span<const ProblemKind> problem_kinds() {
  return kKinds;
}

const ProblemKind* find_problem_kind(std::string_view code) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const ProblemKind& each) { return each.code == code; });
  return found == kKinds.end() ? nullptr : found;
}

Response problem(const Request& request, std::string_view code, std::string detail,
                 std::vector<ProblemItem> errors) {
  const auto* kind = find_problem_kind(code);
  if (kind == nullptr) kind = find_problem_kind("internal_error");
  ProblemDetails out;
  out.type = "/problems/" + std::string(kind->code);
  out.title = std::string(kind->title);
  out.status = kind->status;
  out.code = std::string(kind->code);
  out.detail = std::move(detail);
  out.errors = std::move(errors);
  out.request_id = request.id;
  auto response = text_response(kind->status, std::string(kProblemType), to_json(out));
  if (kind->status == 503 || kind->status == 429) response.headers.push_back({"Retry-After", "1"});
  return response;
}

}  // namespace lk
