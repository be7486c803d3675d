#include "api/http_types.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace lk {

namespace {

constexpr std::array<std::pair<Method, std::string_view>, 9> kMethods{
    {{Method::get, "GET"},
     {Method::head, "HEAD"},
     {Method::post, "POST"},
     {Method::put, "PUT"},
     {Method::patch, "PATCH"},
     {Method::delete_, "DELETE"},
     {Method::options, "OPTIONS"},
     {Method::trace, "TRACE"},
     {Method::connect, "CONNECT"}}};

// RFC 9110 5.6.7, in English whatever the locale is.
std::string http_date(std::int64_t unix_time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = static_cast<std::time_t>(unix_time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                utc.tm_min, utc.tm_sec);
  return text.data();
}

// A header's value can hold text from a client or a file: a line break in it would end the header.
void append_header(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char each : value) {
    const auto byte = static_cast<unsigned char>(each);
    out += (byte < 0x20 && byte != '\t') || byte == 0x7F ? ' ' : each;
  }
  out += "\r\n";
}

}  // namespace

std::string_view method_name(Method method) {
  for (const auto& [candidate, name] : kMethods) {
    if (candidate == method) return name;
  }
  return "OTHER";
}

Method method_from(std::string_view token) {
  for (const auto& [candidate, name] : kMethods) {
    if (name == token) return candidate;
  }
  return Method::other;
}

const std::string* Request::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const Header& each) { return each.name == name; });
  return found == headers.end() ? nullptr : &found->value;
}

std::size_t Request::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const Header& each) { return each.name == name; }));
}

const std::string* Request::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == query.end() ? nullptr : &found->second;
}

Response text_response(int status, std::string content_type, std::string body) {
  Response response;
  response.status = status;
  response.content_type = std::move(content_type);
  response.body = std::make_shared<const std::string>(std::move(body));
  return response;
}

std::string_view status_text(int status) {
  constexpr std::array<std::pair<int, std::string_view>, 27> kTexts{
      {{100, "Continue"},
       {200, "OK"},
       {201, "Created"},
       {202, "Accepted"},
       {204, "No Content"},
       {304, "Not Modified"},
       {400, "Bad Request"},
       {401, "Unauthorized"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {406, "Not Acceptable"},
       {408, "Request Timeout"},
       {409, "Conflict"},
       {412, "Precondition Failed"},
       {413, "Content Too Large"},
       {415, "Unsupported Media Type"},
       {417, "Expectation Failed"},
       {421, "Misdirected Request"},
       {422, "Unprocessable Content"},
       {429, "Too Many Requests"},
       {431, "Request Header Fields Too Large"},
       {500, "Internal Server Error"},
       {501, "Not Implemented"},
       {503, "Service Unavailable"},
       {505, "HTTP Version Not Supported"},
       {507, "Insufficient Storage"}}};
  for (const auto& [code, text] : kTexts) {
    if (code == status) return text;
  }
  return "Unknown";
}

std::string response_head(const Response& response, bool keep_alive, std::int64_t unix_time) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " ";
  out += status_text(response.status);
  out += "\r\n";
  append_header(out, "Date", http_date(unix_time));
  append_header(out, "Connection", keep_alive ? "keep-alive" : "close");
  const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
  if (!bodiless && !response.stream)
    append_header(out, "Content-Length", std::to_string(response.size()));
  if (!bodiless && !response.content_type.empty()) {
    append_header(out, "Content-Type", response.content_type);
  }
  if (!response.etag.empty()) append_header(out, "ETag", response.etag);
  for (const auto& each : response.headers) append_header(out, each.name, each.value);
  out += "\r\n";
  return out;
}

}  // namespace lk
