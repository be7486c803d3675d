#include "api/http_guard.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace lk {

namespace {

constexpr std::size_t kTargetLimit = 2048;

Refusal bad(std::string detail) {
  return {400, "bad_request", std::move(detail)};
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char each) { return each >= '0' && each <= '9'; });
}

std::optional<Refusal> check_transfer(const Request& request) {
  const auto encodings = request.count("transfer-encoding");
  const auto lengths = request.count("content-length");
  if (encodings > 0) {
    if (request.version < 11) return bad("Transfer-Encoding does not exist in HTTP/1.0");
    if (lengths > 0) return bad("Transfer-Encoding and Content-Length exclude each other");
    const auto value = lower(trim(*request.header("transfer-encoding")));
    if (encodings > 1 || value != "chunked") {
      return Refusal{501, "transfer_encoding_unsupported",
                     "the only transfer coding understood is \"chunked\""};
    }
  }
  if (lengths > 1) return bad("more than one Content-Length");
  if (lengths == 1 && !is_digits(*request.header("content-length"))) {
    return bad("Content-Length is not a number");
  }
  return std::nullopt;
}

std::optional<Refusal> check_target(const Request& request) {
  const std::string_view target = request.target;
  if (target.size() > kTargetLimit) {
    return Refusal{400, "target_too_long", "the request target is longer than 2048 bytes"};
  }
  const bool asterisk = target == "*" && request.method == Method::options;
  if (!asterisk && (target.empty() || target[0] != '/')) {
    return bad("the request target must be a path that starts with \"/\"");
  }
  const bool plain = std::all_of(target.begin(), target.end(),
                                 [](char each) { return each > 0x20 && each < 0x7F; });
  if (!plain) return bad("the request target holds a byte that must be percent-encoded");
  return std::nullopt;
}

std::optional<Refusal> check_host(const Request& request) {
  const auto hosts = request.count("host");
  if (hosts > 1) return bad("more than one Host header");
  if (hosts == 0 && request.version >= 11) return bad("HTTP/1.1 requests need a Host header");
  return std::nullopt;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& each : out) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return out;
}

std::optional<std::size_t> HeadScan::scan(std::string_view bytes) {
  for (; seen_ < bytes.size(); ++seen_) {
    const auto byte = static_cast<unsigned char>(bytes[seen_]);
    const char before = seen_ > 0 ? bytes[seen_ - 1] : '\0';
    if (before == '\r' && byte != '\n') {
      refusal_ = bad("a carriage return without a line feed");
      return std::nullopt;
    }
    if (byte == '\n') {
      if (before != '\r') {
        refusal_ = bad("a line feed without a carriage return");
        return std::nullopt;
      }
      if (seen_ >= 3 && bytes.substr(seen_ - 3, 4) == "\r\n\r\n") return ++seen_;
      continue;
    }
    const bool blank = byte == ' ' || byte == '\t';
    if (blank && (before == '\n' || seen_ == 0)) {
      refusal_ = bad("a line that starts with a blank (folded header lines are obsolete)");
      return std::nullopt;
    }
    if ((byte < 0x20 && byte != '\r' && byte != '\t') || byte == 0x7F) {
      refusal_ = bad("a control character in the request's head");
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check_framing(const Request& request) {
  if (auto refusal = check_transfer(request)) return refusal;
  if (request.method == Method::other || request.method == Method::connect) {
    return Refusal{501, "method_unknown", "this server does not know the request's method"};
  }
  if (auto refusal = check_target(request)) return refusal;
  if (auto refusal = check_host(request)) return refusal;
  const auto* expect = request.header("expect");
  const bool understood =
      expect == nullptr || (request.count("expect") == 1 && lower(trim(*expect)) == "100-continue");
  if (request.version >= 11 && !understood) {
    return Refusal{417, "expectation_unsupported",
                   "the only expectation understood is \"100-continue\""};
  }
  return std::nullopt;
}

BodyFraming body_framing(const Request& request) {
  BodyFraming framing;
  framing.chunked = request.count("transfer-encoding") > 0;
  if (const auto* text = request.header("content-length")) {
    const auto end = text->data() + text->size();
    // The parser has already refused what does not fit 64 bits.
    if (std::from_chars(text->data(), end, framing.length).ec != std::errc{}) framing.length = 0;
  }
  return framing;
}

bool expects_continue(const Request& request) {
  return request.version >= 11 && request.header("expect") != nullptr;
}

bool host_allowed(std::string_view host, std::uint16_t port,
                  const std::vector<std::string>& allowed) {
  auto name = lower(trim(host));
  const auto bracket = name.rfind(']');
  const auto colon = name.find(':', bracket == std::string::npos ? 0 : bracket);
  if (colon != std::string::npos) {
    if (name.substr(colon + 1) != std::to_string(port)) return false;
    name.erase(colon);
  }
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const std::string& each) { return lower(each) == name; });
}

}  // namespace lk
