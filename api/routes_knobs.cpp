#include "api/answers.hpp"
#include "api/handlers.hpp"
#include "api/negotiate.hpp"
#include "api/views.hpp"
#include "base/json_write.hpp"

namespace lk {

Response list_knobs(const Request&, Api&) {
  static const Text text = [] {  // the table is fixed when the program is built
    std::vector<KnobView> views;
    for (const auto* each : knobs()) views.push_back(view_of(*each));
    return std::make_shared<const std::string>(to_json(views));
  }();
  return json_response(text, content_etag(*text));
}

Response get_knob(const Request& request, Api&) {
  const auto& id = request.arguments.find("id")->second;
  const auto* knob = find_knob(id);
  if (knob == nullptr) {
    std::vector<std::string> known;
    for (const auto* each : knobs()) known.emplace_back(each->id);
    return problem(request, "knob_unknown",
                   "there is no knob \"" + id + "\"" + near_hint(id, known));
  }
  auto text = to_json(view_of(*knob));
  auto etag = content_etag(text);
  return json_response(std::move(text), std::move(etag));
}

}  // namespace lk
