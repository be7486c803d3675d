// The part of HttpSession that sends what has no end.
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/http_session.hpp"

namespace lk {

using boost::system::error_code;

namespace {

constexpr std::size_t kHeardAtOnce = 512;
constexpr std::size_t kMostHeard = 8192;

}  // namespace

// One text at a time: a client that takes none of it for a while is slow or dead, and is dropped.
asio::awaitable<void> HttpSession::send_stream(std::shared_ptr<Stream> stream) {
  enter(Phase::streaming);
  deadline_.cancel();
  bell_ = std::make_unique<asio::steady_timer>(socket_.get_executor());
  ++scope_.counters.streams;
  watch_client(0);
  while (phase_ == Phase::streaming && !scope_.draining) {
    std::string text = stream->next();
    if (text.empty()) {
      bell_->expires_after(scope_.limits.heartbeat);
      error_code rung;
      co_await bell_->async_wait(asio::redirect_error(asio::use_awaitable, rung));
      if (rung) continue;
      text = stream->heartbeat();
    }
    arm(transfer_time(text.size()));
    if (!co_await send(text, {})) break;
    deadline_.cancel();
  }
  --scope_.counters.streams;
}

void HttpSession::wake() {
  if (phase_ == Phase::streaming && bell_) bell_->cancel();
}

// A client that goes away is noticed at once, not at the next heartbeat. What it sends is dropped;
// one that sends much has no business here.
void HttpSession::watch_client(std::size_t heard) {
  input_.resize(kHeardAtOnce);
  const auto handle = [self = shared_from_this(), heard](error_code error, std::size_t got) {
    if (self->phase_ != Phase::streaming) return;
    if (error || heard + got > kMostHeard) return self->close();
    self->watch_client(heard + got);
  };
  socket_.async_read_some(asio::buffer(input_), handle);
}

}  // namespace lk
