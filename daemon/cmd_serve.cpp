#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "api/server.hpp"
#include "base/line_writer.hpp"
#include "base/listen_address.hpp"
#include "base/root.hpp"
#include "daemon/notify.hpp"
#include "daemon/session.hpp"
#include "daemon/terminal.hpp"
#include "service/history.hpp"
#include "service/host_watch.hpp"
#include "service/refresher.hpp"
#include "service/waiver_clock.hpp"

namespace lk {

namespace {

constexpr int kServerEnded = SIGUSR1;  // the serving thread tells the waiting one
constexpr std::chrono::seconds kPatience{2};
constexpr rlim_t kMostDescriptors = 65536;

Result<Config> serving_config(const Arguments& arguments) {
  auto config = configured(arguments);
  if (!config) return config;
  if (arguments.has("listen")) config->listen = arguments.values("listen");
  if (config->root != "/") {
    if (const auto root = Root::captured(config->root); !root) return root.error();
  }
  const auto profile = ProfileStore(config->profile_dirs).load(config->profile);
  if (!profile) return profile.error();
  if (auto status = check_listen(config->listen); !status) return status.error();
  return config;
}

// Every thread inherits the mask; signals are waited for in one place.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, kServerEnded}) sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void reload(const Arguments& arguments, Engine& engine, Refresher& refresher) {
  const auto config = serving_config(arguments);
  if (!config) {
    complain("the configuration stays as it was: " + config.error().message());
    return;
  }
  engine.reload(*config);
  refresher.request();
  complain(
      "configuration and profiles read again; addresses, root, access log and limits "
      "stay");
}

void wait_for_end(const sigset_t& signals, const Arguments& arguments, Server& server,
                  Engine& engine, Refresher& refresher) {
  for (;;) {
    int signal = 0;
    if (::sigwait(&signals, &signal) != 0) continue;
    if (signal == kServerEnded) return;
    if (signal == SIGHUP) {
      reload(arguments, engine, refresher);
      continue;
    }
    notify_manager("STOPPING=1");
    server.stop();
  }
}

// Says it once for each new reason: a host that cannot be read must not fill the log.
class RefreshLog {
 public:
  explicit RefreshLog(const Engine& engine) : engine_(engine) {}

  void operator()(const Status& status) {
    const auto now = status ? std::string() : status.error().message();
    if (now != last_) complain(status ? "the host can be read again" : now);
    last_ = now;
    if (!status) return;
    auto wrong = misconfigured(engine_.snapshot()->inventory);
    for (const auto& each : wrong) {
      if (std::find(wrong_.begin(), wrong_.end(), each) == wrong_.end()) complain(each);
    }
    wrong_ = std::move(wrong);
  }

 private:
  const Engine& engine_;
  std::string last_;
  std::vector<std::string> wrong_;  // of the configuration
};

void keep_history(const Config& config, Engine& engine) {
  auto history = History::create(config.state_dir);
  if (!history) {
    complain("inventories of this boot are not kept for the next, and no waivers: " +
             history.error().message());
    return;
  }
  const auto status = engine.load_waivers(**history);
  if (!status) complain("waivers of the API do not hold: " + status.error().message());
  engine.use_history(*std::move(history), complain);
}

// Null where no events come: then the period has to do.
std::unique_ptr<HostWatch> watch_host(const Config& config, Refresher& refresher) {
  if (config.root != "/") return nullptr;
  auto watch = HostWatch::start([&refresher] { refresher.request(); });
  if (watch) return *std::move(watch);
  complain(watch.error().message() + ": changes are seen every " +
           std::to_string(config.refresh_s) + " s");
  return nullptr;
}

// One for each connection: the soft limit is what old programs that use select() can bear.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kMostDescriptors));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// What the event loop says must not wait for whoever reads standard error.
ServerOptions server_options(const Config& config, LineWriter& log) {
  return {.listen = config.listen,
          .allowed_hosts = config.allowed_hosts,
          .log = [&log](const std::string& line) { log.write("lanekeeper: " + visible(line)); },
          .access_log = config.access_log,
          .client_connections = static_cast<std::size_t>(config.client_connections),
          .client_rates = {.requests_per_s = static_cast<double>(config.client_requests_per_s),
                           .work_per_s = static_cast<double>(config.client_work_per_s)}};
}

int run(const Arguments& arguments) {
  const auto config = serving_config(arguments);
  if (!config) return fail(config.error());
  raise_descriptor_limit();
  const auto signals = block_signals();
  Engine engine(*config, self_executable());
  LineWriter log(STDERR_FILENO);
  std::unique_ptr<Refresher> refresher;  // there before the server answers
  auto options = server_options(*config, log);
  options.refresh = [&refresher] { refresher->request(); };
  Server server(engine, std::move(options));
  if (auto status = server.bind(); !status) return fail(status.error());
  keep_history(*config, engine);
  refresher = std::make_unique<Refresher>(engine, RefreshLog(engine));
  auto watch = watch_host(*config, *refresher);
  WaiverClock waiver_clock(engine);
  for (const auto& address : server.addresses()) complain("listening on " + address);
  std::thread serving([&] {
    server.run();
    ::kill(::getpid(), kServerEnded);
  });
  notify_manager("READY=1");
  wait_for_end(signals, arguments, server, engine, *refresher);
  serving.join();
  watch.reset();
  // A device that does not answer must not hold up the end; nothing of the refresh is lost.
  if (!refresher->stop(kPatience)) std::_Exit(kDone);
  refresher.reset();
  engine.keep_now();
  return kDone;
}

}  // namespace

Command serve_command() {
  return {.name = "serve",
          .summary = "read this host again and again, and serve inventory and audit over HTTP",
          .text =
              "SIGHUP reads configuration and profiles again. SIGTERM and SIGINT end it after the\n"
              "requests under way; a second one at once.",
          .takes = {.root = true, .config = true},
          .options = {{.name = "listen",
                       .value = "ADDRESS",
                       .help = "ADDR:PORT, [IPV6]:PORT or unix:/PATH (repeatable) [127.0.0.1:7780]",
                       .repeats = true},
                      {.name = "state-dir",
                       .value = "DIR",
                       .help = "what must outlive the process [/var/lib/lanekeeper]"}},
          .run = run};
}

}  // namespace lk
