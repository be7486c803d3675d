#include "api/http_session.hpp"

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <ctime>
#include <exception>

#include "api/client_limits.hpp"
#include "api/http_guard.hpp"

namespace lk {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kReadBytes = 8192;
constexpr std::size_t kLingerBytes = std::size_t{2} << 20U;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

const Refusal kCutShort{400, "bad_request", "the connection ended within the request"};

using Parser = http::request_parser<http::string_body>;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Refusal parse_refusal(error_code error, std::string_view head) {
  if (error == http::error::body_limit) {
    return {413, "body_too_large", "the request's body is larger than this route takes"};
  }
  const auto line = head.substr(0, head.find('\r'));
  const auto version = line.substr(line.rfind(' ') + 1);
  const bool other_version = version.size() == 8 && version.starts_with("HTTP/");
  if (error == http::error::bad_version && other_version && version[5] != '1') {
    return {505, "version_unsupported", "this server speaks HTTP/1.1 and HTTP/1.0"};
  }
  return {400, "bad_request", "the request is malformed: " + error.message()};
}

void fill_request(const Parser& parser, Request& request) {
  const auto& message = parser.get();
  request.method = method_from(view(message.method_string()));
  request.target = std::string(view(message.target()));
  request.version = static_cast<int>(message.version());
  for (const auto& each : message) {
    request.headers.push_back({lower(view(each.name_string())), std::string(view(each.value()))});
  }
}

}  // namespace

// One request and its response; nothing of it reaches the next one on the connection.
struct HttpSession::Exchange {
  Parser parser;
  Request request;
  bool parsed = false;  // `request` is one
  bool unread = false;  // its body, or what might be one, is still to come
  std::size_t body_limit = 0;
  std::optional<Response> response;
  Clock::time_point start = Clock::now();
};

// A response in the making. The worker has `request` and `made`; the rest is the loop's. Both hold
// it, so that a connection may end while the worker still works for it.
struct HttpSession::Job {
  Job(const asio::any_io_executor& loop, std::function<Response(const Request&)> make, Request from)
      : later(std::move(make)), request(std::move(from)), done(loop, Clock::time_point::max()) {}

  std::function<Response(const Request&)> later;
  const Request request;
  std::optional<Response> made;
  std::string failure;
  std::atomic<bool> unwanted{false};  // the connection has ended
  bool ended = false;
  asio::steady_timer done;  // cancelled when the worker has ended, or the connection

  void work() {
    if (unwanted) return;
    try {
      made = later(request);
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }
};

HttpSession::HttpSession(Socket socket, Peer peer, SessionScope scope)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      peer_(std::move(peer)),
      client_(client_of(peer_)),
      scope_(scope) {}

asio::awaitable<void> HttpSession::run() {
  bool more = true;
  while (more) more = co_await serve_one();
  close();
}

asio::awaitable<bool> HttpSession::serve_one() {
  Exchange exchange;
  if (!co_await read_head(exchange)) co_return false;
  if (!exchange.response) admit(exchange);
  if (!exchange.response && exchange.unread) {
    if (!co_await read_body(exchange)) co_return false;
  }
  if (!exchange.response) call_handler(exchange);
  if (exchange.response->later) {
    if (!co_await make_response(exchange)) co_return false;
  }
  co_return co_await respond(exchange);
}

// False if the connection ended without a request.
asio::awaitable<bool> HttpSession::read_head(Exchange& exchange) {
  enter(Phase::idle);
  if (input_.empty()) {
    if (scope_.draining) co_return false;
    input_.shrink_to_fit();  // thousands of idle connections may be open
    arm(scope_.limits.idle);
    error_code error;
    co_await socket_.async_wait(Socket::wait_read,
                                asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return false;
  }
  enter(Phase::reading);
  arm(scope_.limits.head);
  HeadScan scan;
  while (true) {
    while (input_.starts_with("\r\n")) {  // RFC 9112 2.2: blank lines before a request line
      input_.erase(0, 2);
      scan = HeadScan();
    }
    const auto length = scan.scan(input_);
    exchange.unread = true;
    if (scan.refusal()) {
      refuse(exchange, *scan.refusal());
      co_return true;
    }
    if (length.value_or(input_.size()) > scope_.limits.head_bytes) {
      refuse(exchange, {431, "head_too_large",
                        "the request line and headers are longer than " +
                            std::to_string(scope_.limits.head_bytes) + " bytes"});
      co_return true;
    }
    if (length) {
      parse_head(exchange, *length);
      co_return true;
    }
    const auto received = co_await receive();
    if (received == Received::failed || input_.empty()) co_return false;
    if (received == Received::end) {
      refuse(exchange, kCutShort);
      co_return true;
    }
  }
}

void HttpSession::parse_head(Exchange& exchange, std::size_t length) {
  exchange.start = Clock::now();
  exchange.parser.eager(false);
  exchange.parser.header_limit(static_cast<std::uint32_t>(2 * length + 64));
  exchange.parser.body_limit(boost::none);  // admit() sets it, before any octet of the body
  const std::string_view head(input_.data(), length);
  error_code error;
  std::size_t used = 0;
  while (!error && used < length && !exchange.parser.is_header_done()) {
    used += exchange.parser.put(asio::buffer(head.substr(used)), error);
  }
  if (error || used != length || !exchange.parser.is_header_done()) {
    if (!error) error = http::error::bad_field;
    return refuse(exchange, parse_refusal(error, head));
  }
  fill_request(exchange.parser, exchange.request);
  exchange.request.peer = peer_;
  exchange.parsed = true;
  input_.erase(0, length);
  if (const auto refusal = check_framing(exchange.request)) refuse(exchange, *refusal);
}

void HttpSession::admit(Exchange& exchange) {
  const auto body = body_framing(exchange.request);
  exchange.unread = body.any();
  enter(Phase::busy);
  try {
    auto admission = scope_.app.admit(exchange.request);
    exchange.body_limit = admission.body_limit;
    exchange.response = std::move(admission.refusal);
  } catch (const std::exception& error) {
    return fail(exchange, error.what());
  }
  if (!exchange.response && body.length > exchange.body_limit) {
    refuse(exchange, {413, "body_too_large",
                      "the request's body is larger than the " +
                          std::to_string(exchange.body_limit) + " bytes that this route takes"});
  }
}

// False if the connection ended within the body.
asio::awaitable<bool> HttpSession::read_body(Exchange& exchange) {
  const auto length = static_cast<std::size_t>(body_framing(exchange.request).length);
  // Chunk headers and extensions come on top of the body; without a bound they could be endless.
  const auto wire_limit = exchange.body_limit * 2 + 4 * scope_.limits.chunk_bytes;
  arm(transfer_time(length > 0 ? length : exchange.body_limit));
  exchange.parser.body_limit(exchange.body_limit);
  exchange.parser.eager(true);
  if (expects_continue(exchange.request) && input_.empty()) {
    if (!co_await send(kContinue, {})) co_return false;
  }
  std::size_t wire = 0;
  while (true) {
    error_code error;
    const auto used = exchange.parser.put(asio::buffer(input_), error);
    input_.erase(0, used);
    wire += used;
    if (exchange.parser.is_done()) break;
    if (error && error != http::error::need_more) {
      refuse(exchange, parse_refusal(error, {}));
      co_return true;
    }
    if (wire > wire_limit) {
      refuse(exchange, {413, "body_too_large", "the body's chunks are too small for their number"});
      co_return true;
    }
    if (input_.size() >= scope_.limits.chunk_bytes) {
      refuse(exchange,
             {431, "chunk_too_large", "a chunk's extensions or the trailers are too long"});
      co_return true;
    }
    const auto received = co_await receive();
    if (received == Received::failed) co_return false;
    if (received == Received::end) {
      refuse(exchange, kCutShort);
      co_return true;
    }
  }
  exchange.unread = false;
  exchange.request.body = std::move(exchange.parser.get().body());
  co_return true;
}

void HttpSession::call_handler(Exchange& exchange) {
  try {
    exchange.response = scope_.app.handle(exchange.request);
  } catch (const std::exception& error) {
    fail(exchange, error.what());
  }
}

// False if the connection ended meanwhile.
asio::awaitable<bool> HttpSession::make_response(Exchange& exchange) {
  enter(Phase::busy);
  arm(scope_.limits.work);
  const auto job = std::make_shared<Job>(socket_.get_executor(),
                                         std::move(exchange.response->later), exchange.request);
  job_ = job;
  asio::post(scope_.worker, [job] {
    job->work();
    asio::post(job->done.get_executor(), [job] {
      job->ended = true;
      job->done.cancel();
    });
  });
  error_code ignored;
  if (!job->ended) {
    co_await job->done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  job_.reset();
  if (!job->ended || phase_ == Phase::ended) co_return false;
  if (job->made) {
    exchange.response = std::move(job->made);
  } else {
    fail(exchange, job->failure);
  }
  co_return true;
}

void HttpSession::refuse(Exchange& exchange, const Refusal& refusal) {
  exchange.response = scope_.app.refuse(refusal, exchange.parsed ? &exchange.request : nullptr);
  exchange.response->close = true;
}

void HttpSession::fail(Exchange& exchange, const std::string& what) {
  scope_.app.log("internal error in request " + exchange.request.id + " (" +
                 exchange.request.target + "): " + what);
  refuse(exchange, {500, "internal_error", "the request met an internal error"});
}

// True if another request may follow.
asio::awaitable<bool> HttpSession::respond(Exchange& exchange) {
  enter(Phase::busy);
  const auto& response = *exchange.response;
  const bool keep = exchange.parsed && exchange.parser.keep_alive() && !response.close &&
                    !exchange.unread && !scope_.draining && !response.stream;
  const auto head = response_head(response, keep, std::time(nullptr));
  const bool bodiless = exchange.parsed && exchange.request.method == Method::head;
  std::string_view body;
  if (response.body && !bodiless) body = *response.body;
  arm(transfer_time(body.size()));
  const bool sent = co_await send(head, body);
  const std::chrono::duration<double> taken = Clock::now() - exchange.start;
  scope_.app.finished({exchange.parsed ? &exchange.request : nullptr, peer_, response.status,
                       head.size() + body.size(), taken.count()});
  if (sent && response.stream && !bodiless) {
    co_await send_stream(response.stream);
    co_return false;
  }
  if (sent && !keep) co_await linger();
  co_return sent&& keep;
}

// Closing a socket that holds unread input resets the connection, and the client would lose the
// response that explains why.
asio::awaitable<void> HttpSession::linger() {
  enter(Phase::lingering);
  arm(scope_.limits.linger);
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  input_.clear();
  std::size_t total = 0;
  while (total < kLingerBytes) {
    if (co_await receive() != Received::some) break;
    total += input_.size();
    input_.clear();
  }
}

// `end`: the client sends no more, but may still read.
asio::awaitable<HttpSession::Received> HttpSession::receive() {
  const auto before = input_.size();
  input_.resize(before + kReadBytes);
  error_code error;
  const auto buffer = asio::buffer(input_.data() + before, kReadBytes);
  const auto got =
      co_await socket_.async_read_some(buffer, asio::redirect_error(asio::use_awaitable, error));
  input_.resize(before + got);
  if (error == asio::error::eof) co_return Received::end;
  co_return error ? Received::failed : Received::some;
}

asio::awaitable<bool> HttpSession::send(std::string_view head, std::string_view body) {
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(head), asio::buffer(body)};
  error_code error;
  co_await asio::async_write(socket_, buffers, asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

void HttpSession::enter(Phase phase) {
  phase_ = phase;
  since_ = Clock::now();
}

std::chrono::milliseconds HttpSession::transfer_time(std::size_t bytes) const {
  const auto more = bytes * 1000 / scope_.limits.bytes_per_second;
  return scope_.limits.transfer + std::chrono::milliseconds(more);
}

// One deadline for everything that the connection waits for; each phase sets it anew.
void HttpSession::arm(std::chrono::milliseconds time) {
  deadline_.expires_after(time);
  deadline_.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    // A wait that was over before expires_after() could cancel it arrives without an error.
    if (error || !self || self->deadline_.expiry() > Clock::now()) return;
    if (self->phase_ != Phase::idle && self->phase_ != Phase::lingering) {
      ++self->scope_.counters.timed_out;
    }
    self->close();
  });
}

void HttpSession::close() {
  deadline_.cancel();
  if (bell_) bell_->cancel();
  if (job_) {
    job_->unwanted = true;
    job_->done.cancel();
  }
  error_code ignored;
  socket_.close(ignored);
  enter(Phase::ended);
}

}  // namespace lk
