#include <cerrno>

#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kAtOnce = 64;
constexpr std::size_t kMostStreams = 1024;
constexpr std::string_view kHello = "retry: 2000\n\n";
constexpr std::string_view kHeartbeat = ": hb\n\n";

std::string event_text(const std::string& id, std::string_view type, std::string_view data) {
  return "id: " + id + "\nevent: " + std::string(type) + "\ndata: " + std::string(data) + "\n\n";
}

// One client's place in the log. It keeps no events of its own: a client that reads too slowly
// finds that the log has gone on without it, and is told to start over.
class EventStream : public Stream {
 public:
  EventStream(EventLog& log, const Engine& engine, std::optional<std::uint64_t> last)
      : log_(log), engine_(engine), last_(last.value_or(log.newest())), lost_(!last) {}

  std::string start(bool resumes) {
    std::string text(kHello);
    if (!resumes) {
      lost_ = false;
      // An id without data: a client that loses the connection before the first event resumes here.
      text += "id: " + log_.id_of(last_) + "\n\n";
    }
    return text;
  }

  std::string next() override {
    std::string text;
    const auto events = lost_ ? std::nullopt : log_.after(last_, kAtOnce);
    if (!events) {
      last_ = log_.newest();
      lost_ = false;
      return event_text(log_.id_of(last_), "reset", reset_data());
    }
    for (const auto& each : *events) {
      text += event_text(log_.id_of(each.number), each.type, each.data);
      last_ = each.number;
    }
    return text;
  }

  std::string_view heartbeat() const override { return kHeartbeat; }

 private:
  std::string reset_data() const {
    const auto snapshot = engine_.snapshot();
    return to_json(ResetView{snapshot ? snapshot->inventory.generation : 0});
  }

  EventLog& log_;
  const Engine& engine_;
  std::uint64_t last_;
  bool lost_;  // what came after the client's last event is not known here
};

}  // namespace

Response get_events(const Request& request, Api& api) {
  auto& log = api.engine.events();
  const auto* last_id = request.header("last-event-id");
  const bool resumes = last_id != nullptr && !trim(*last_id).empty();
  const auto last = resumes ? log.number_of(trim(*last_id)) : std::nullopt;
  if (api.http_counters().streams >= kMostStreams) {
    return problem(request, "too_many_clients",
                   std::to_string(kMostStreams) + " clients listen to events already");
  }
  auto stream = std::make_shared<EventStream>(log, api.engine, last);
  Response response;
  response.content_type = "text/event-stream";
  response.body = std::make_shared<const std::string>(stream->start(resumes));
  response.stream = std::move(stream);
  return response;
}

Response refresh_inventory(const Request&, Api& api) {
  api.request_refresh();
  const auto snapshot = api.engine.snapshot();
  auto response =
      json_response(to_json(RefreshView{snapshot ? snapshot->inventory.generation : 0}), {});
  response.status = 202;
  response.headers.push_back({"Location", "/v1/inventory"});
  return response;
}

Response get_diff(const Request& request, Api& api) {
  const auto* wanted = request.parameter("from");
  const bool golden = wanted != nullptr && *wanted == "golden";
  const auto answer = api.engine.compared(golden ? Baseline::golden : Baseline::previous_boot);
  if (answer) return json_response(Text(*answer, &(*answer)->json), (*answer)->etag);
  if (answer.error().err == EAGAIN) return not_ready(request, api);
  const auto& error = answer.error();
  const bool none = error.err == ENOENT && error.path.empty();
  return none ? problem(request, "baseline_unknown", error.what)
              : problem(request, "baseline_unreadable", error.message());
}

}  // namespace lk
