// What the parser lets through and a careful server must not: HTTP/1.1 framing (RFC 9112) checked
// on the bytes before parsing and on the header fields after it.
//
// Beast 345 (Boost 1.81) takes `Transfer-Encoding: gzip` for "no body", so that the body is read as
// a second request; merges trailers into the header; keeps duplicate Content-Length fields.
#pragma once

#include "api/http_types.hpp"

namespace lk {

// Looks for the end of a request's head in what has arrived so far. Refuses at the first octet that
// no head may hold (a bare CR or LF, NUL and other control characters, a folded line), so that
// garbage is answered at once and not after a deadline.
class HeadScan {
 public:
  // `bytes` starts at the request line and only ever grows between calls.
  // The head's length with its empty line, once all of it is there.
  std::optional<std::size_t> scan(std::string_view bytes);
  // Set if the bytes cannot be a request.
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  std::size_t seen_ = 0;
  std::optional<Refusal> refusal_;
};

// Framing of a parsed head. `request.headers` holds every field, duplicates too.
std::optional<Refusal> check_framing(const Request& request);

struct BodyFraming {
  bool chunked = false;
  std::uint64_t length = 0;  // 0 if chunked
  bool any() const { return chunked || length > 0; }
};
// Of a request that passed check_framing().
BodyFraming body_framing(const Request& request);

// Whether the client waits for "100 Continue" (HTTP/1.0 never does).
bool expects_continue(const Request& request);

// Whether a Host header names this server: a loopback name or one of `allowed`, in any case, with
// the port that it listens on or none. A foreign name is how a web page reaches a local daemon
// (DNS rebinding).
bool host_allowed(std::string_view host, std::uint16_t port,
                  const std::vector<std::string>& allowed);

// ASCII only: HTTP's names are.
std::string lower(std::string_view text);

}  // namespace lk
