#include "api/http_guard.hpp"

#include "base/text.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace lk;

namespace {

Request request_of(std::string_view head) {
  Request request;
  auto lines = split(head, '\n');
  const auto first = words(lines.empty() ? std::string_view() : lines.front());
  if (!first.empty()) request.method = method_from(first[0]);
  if (first.size() > 1) request.target = std::string(first[1]);
  request.version = head.find("HTTP/1.0") == std::string_view::npos ? 11 : 10;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    request.headers.push_back(
        {lower(lines[i].substr(0, colon)), std::string(trim(lines[i].substr(colon + 1)))});
  }
  return request;
}

}  // namespace

// However the bytes arrive, the head ends at the same place or is refused; what passes can be
// framed in one way only.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text(data, size);
  HeadScan whole;
  const auto length = whole.scan(text);
  HeadScan slow;
  std::optional<std::size_t> slowly;
  for (std::size_t end = 1; end <= text.size() && !slowly && !slow.refusal(); ++end) {
    slowly = slow.scan(text.substr(0, end));
  }
  fuzz::must(!(whole.refusal() && length), "refused or whole");
  if (length && !slow.refusal()) fuzz::must(slowly == length, "the same end");
  if (!length || whole.refusal()) return 0;
  const auto head = text.substr(0, *length);
  fuzz::must(head.ends_with("\r\n\r\n"), "a head ends with an empty line");
  fuzz::must(head.find('\0') == std::string_view::npos, "no NUL in a head");
  const auto request = request_of(head);
  if (check_framing(request)) return 0;
  fuzz::must(request.count("content-length") <= 1, "one length");
  fuzz::must(request.count("transfer-encoding") == 0 || request.count("content-length") == 0,
             "length or chunks");
  const auto framing = body_framing(request);
  fuzz::must(!(framing.chunked && framing.length > 0), "one framing");
  static_cast<void>(expects_continue(request));
  if (const auto* host = request.header("host")) {
    static_cast<void>(host_allowed(*host, 7780, {"storage1.example"}));
  }
  return 0;
}
