#include "api/access_log.hpp"

#include <array>
#include <charconv>

#include "api/route.hpp"
#include "base/text.hpp"

namespace lk {

namespace {

std::string peer_text(const Peer& peer) {
  if (!peer.local) return peer.address;
  std::string out = peer.uid ? "uid " + std::to_string(*peer.uid) : "unknown user";
  return peer.pid ? out + " pid " + std::to_string(*peer.pid) : out;
}

std::string milliseconds(double seconds) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds * 1000,
                                 std::chars_format::fixed, 1)
                       .ptr;
  return {buffer.data(), end};
}

// A quote in a target must not end the field.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char each : visible(text)) {
    if (each == '"' || each == '\\') out += '\\';
    out += each;
  }
  return out + '"';
}

}  // namespace

std::string access_line(const Exchanged& exchanged) {
  std::string what = "\"-\"";
  std::string route = "none";
  std::string id;
  if (const auto* request = exchanged.request) {
    what = quoted(std::string(method_name(request->method)) + ' ' + request->target);
    if (request->route != nullptr) route = request->route->pattern;
    id = " id=" + request->id;
  }
  return peer_text(exchanged.peer) + ' ' + what + ' ' + std::to_string(exchanged.status) + ' ' +
         std::to_string(exchanged.bytes) + " bytes " + milliseconds(exchanged.seconds) +
         " ms route=" + route + id;
}

void AccessLog::add(const Exchanged& exchanged, Time now) {
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    lines_ = 0;
  }
  if (++lines_ > kLinesPerSecond) {
    ++left_out_;
    return;
  }
  if (left_out_ > 0) write_("access: " + std::to_string(left_out_) + " requests are not listed");
  left_out_ = 0;
  write_("access: " + access_line(exchanged));
}

}  // namespace lk
