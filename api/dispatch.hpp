// The one pipeline that every request goes through, in a fixed order:
//
//   framing (http_guard) -> limits -> host -> origin -> route -> method -> access -> query ->
//   accept -> content type -> body -> handler -> not modified -> headers
//
// What a handler need not check is checked here; what is written here once is true for every route.
#pragma once

#include <functional>

#include "api/access_log.hpp"
#include "api/api.hpp"
#include "api/client_limits.hpp"
#include "api/gzip.hpp"
#include "api/route.hpp"

namespace lk {

struct DispatchOptions {
  std::vector<std::string> allowed_hosts = {};
  ClientRates rates = {};
  bool access_log = false;
};

class Dispatcher : public HttpApp {
 public:
  // `routes` and `api` must outlive it. `log` must not block.
  Dispatcher(std::span<const Route> routes, Api& api, DispatchOptions options,
             std::function<void(const std::string&)> log);

  Admission admit(Request& request) override;
  Response handle(const Request& request) override;
  Response refuse(const Refusal& refusal, const Request* request) override;
  void finished(const Exchanged& exchanged) override;
  void log(const std::string& line) override { log_(line); }

 private:
  std::optional<Response> check_limits(const Request& request);
  std::optional<Response> check_host(Request& request) const;
  std::optional<Response> check_origin(Request& request) const;
  std::optional<Response> split_target(Request& request) const;
  std::optional<Response> find_route(Request& request) const;
  std::optional<Response> check_access(Request& request) const;
  std::optional<Response> check_query(Request& request) const;
  std::optional<Response> check_accept(Request& request) const;
  std::optional<Response> check_content(Request& request) const;
  static Response finish(const Request& request, Response response);
  Response compressed(Response response);
  std::string next_id();

  std::span<const Route> routes_;
  GzipCache gzip_;
  Api& api_;
  DispatchOptions options_;
  Operators operators_;
  std::function<void(const std::string&)> log_;
  ClientLimits limits_;
  AccessLog access_log_;
  std::string id_prefix_;
  std::uint64_t requests_ = 0;
};

}  // namespace lk
