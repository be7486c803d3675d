// One connection. For http_session.cpp and http_server.cpp alone: it shows Asio.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "api/http_server.hpp"

namespace lk {

namespace asio = boost::asio;
using Socket = asio::generic::stream_protocol::socket;
using Clock = std::chrono::steady_clock;

// What a connection shares with the server that owns it.
struct SessionScope {
  HttpApp& app;
  const HttpLimits& limits;
  HttpCounters& counters;
  const bool& draining;
  asio::thread_pool& worker;  // makes what Response::later says
};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  enum class Phase { idle, reading, lingering, busy, streaming, ended };

  HttpSession(Socket socket, Peer peer, SessionScope scope);

  // Serves requests until the connection ends. The caller keeps the session alive meanwhile.
  asio::awaitable<void> run();

  // Waits for its client alone, so that ending it costs nobody an answer.
  bool expendable() const { return phase_ < Phase::busy; }
  Phase phase() const { return phase_; }
  Clock::time_point since() const { return since_; }
  const std::string& client() const { return client_; }  // client_of() its peer
  void end() { close(); }                                // now, whatever it does
  void wake();                                           // a stream: there may be more to send

 private:
  struct Exchange;
  struct Job;

  asio::awaitable<bool> serve_one();
  asio::awaitable<bool> read_head(Exchange& exchange);
  asio::awaitable<bool> read_body(Exchange& exchange);
  asio::awaitable<bool> make_response(Exchange& exchange);
  enum class Received { some, end, failed };
  asio::awaitable<Received> receive();
  asio::awaitable<bool> send(std::string_view head, std::string_view body);
  asio::awaitable<bool> respond(Exchange& exchange);
  asio::awaitable<void> send_stream(std::shared_ptr<Stream> stream);
  asio::awaitable<void> linger();

  void refuse(Exchange& exchange, const Refusal& refusal);
  void fail(Exchange& exchange, const std::string& what);
  void parse_head(Exchange& exchange, std::size_t length);
  void admit(Exchange& exchange);
  void call_handler(Exchange& exchange);
  void enter(Phase phase);
  void arm(std::chrono::milliseconds time);
  void watch_client(std::size_t heard);
  std::chrono::milliseconds transfer_time(std::size_t bytes) const;
  void close();

  Socket socket_;
  asio::steady_timer deadline_;
  Peer peer_;
  std::string client_;
  SessionScope scope_;
  std::string input_;         // received and not yet parsed; outlives a request, for pipelining
  std::shared_ptr<Job> job_;  // what the worker makes for it now
  std::unique_ptr<asio::steady_timer> bell_;  // a stream waits for it
  Phase phase_ = Phase::idle;
  Clock::time_point since_ = Clock::now();
};

}  // namespace lk
