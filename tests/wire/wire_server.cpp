// The HTTP core with handlers that show what it hands them. For run.py and what it runs.
//
//   wire_server [--head-ms N] [--idle-ms N] [--transfer-ms N] [--drain-ms N] [--connections N]
//               ADDRESS...
// Prints one "listening ADDRESS" line each, then serves until SIGTERM.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "api/http_guard.hpp"
#include "api/http_server.hpp"

namespace {

lk::HttpServer* running = nullptr;
void on_signal(int) {
  running->stop();
}

class EchoApp : public lk::HttpApp {
 public:
  lk::Admission admit(lk::Request& request) override {
    lk::Admission admission;
    const auto* host = request.header("host");
    if (!request.peer.local && host && !lk::host_allowed(*host, request.peer.port, {"good.test"})) {
      admission.refusal = refuse({421, "host_unknown", "unknown host"}, &request);
    } else if (request.peer.over_limit) {
      admission.refusal = refuse({429, "too_many", "too many connections"}, &request);
      admission.refusal->close = true;
    } else if (request.target == "/denied") {
      admission.refusal = refuse({401, "denied", "no"}, &request);
    }
    if (request.method == lk::Method::post) admission.body_limit = 4096;
    return admission;
  }

  lk::Response handle(const lk::Request& request) override {
    if (request.target.starts_with("/slow")) {
      lk::Response response;
      response.later = [](const lk::Request& same) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        if (same.target == "/slow/throw") throw std::runtime_error("thrown on purpose");
        return lk::text_response(200, "text/plain", "slow " + same.target + "\n");
      };
      return response;
    }
    if (request.target == "/throw") throw std::runtime_error("thrown on purpose");
    if (request.target == "/nothing" || request.target == "/same") {
      lk::Response response;
      response.status = request.target == "/same" ? 304 : 204;
      response.etag = "\"e\"";
      return response;
    }
    if (request.target == "/big") {
      return lk::text_response(200, "text/plain", std::string(std::size_t{64} << 20U, 'x'));
    }
    std::string body;
    body += std::string(lk::method_name(request.method)) + " " + request.target + "\n";
    for (const auto& each : request.headers) body += each.name + "=" + each.value + "\n";
    if (request.peer.uid) body += "peer-uid=" + std::to_string(*request.peer.uid) + "\n";
    body += "body=" + request.body + "\n";
    return lk::text_response(200, "text/plain", body);
  }

  lk::Response refuse(const lk::Refusal& refusal, const lk::Request*) override {
    return lk::text_response(refusal.status, "text/plain", refusal.code + ": " + refusal.detail);
  }

  void finished(const lk::Exchanged&) override {}
  void log(const std::string& line) override { std::fprintf(stderr, "%s\n", line.c_str()); }
};

}  // namespace

int main(int argc, char** argv) {
  EchoApp app;
  lk::HttpLimits limits;
  std::vector<std::string> addresses;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return std::atol(argv[++i]); };
    if (word == "--head-ms")
      limits.head = std::chrono::milliseconds(number());
    else if (word == "--idle-ms")
      limits.idle = std::chrono::milliseconds(number());
    else if (word == "--transfer-ms")
      limits.transfer = std::chrono::milliseconds(number());
    else if (word == "--drain-ms")
      limits.drain = std::chrono::milliseconds(number());
    else if (word == "--rate")
      limits.bytes_per_second = static_cast<std::size_t>(number());
    else if (word == "--client-connections")
      limits.client_connections = static_cast<std::size_t>(number());
    else if (word == "--connections")
      limits.connections = static_cast<std::size_t>(number());
    else
      addresses.push_back(word);
  }
  lk::HttpServer server(app, limits);
  for (const auto& each : addresses) {
    if (const auto status = server.listen(each); !status) {
      std::fprintf(stderr, "wire_server: %s\n", status.error().message().c_str());
      return 2;
    }
  }
  running = &server;
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  for (const auto& each : server.addresses()) std::printf("listening %s\n", each.c_str());
  std::fflush(stdout);
  server.run();
  return 0;
}
