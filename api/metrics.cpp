#include "api/metrics.hpp"

#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace lk {

namespace {

std::string number(double value) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// A bound is a label, and queries name it as people write it: "0.0005", not "5e-04".
std::string bound_text(double value) {
  std::array<char, 40> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
          .ptr;
  return {buffer.data(), end};
}

// The format has escapes for quotes, backslashes and line feeds alone; a terminal that shows the
// page must not obey the rest.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += "\\n";
    for (const char each : visible(lines[i])) {
      if (each == '"' || each == '\\') out += '\\';
      out += each;
    }
  }
  return out + '"';
}

}  // namespace

void MetricsText::family(std::string_view name, Type type, std::string_view help) {
  plain_family("lanekeeper_" + std::string(name), type, help);
}

void MetricsText::plain_family(std::string_view name, Type type, std::string_view help) {
  constexpr std::array kTypes{"gauge", "counter", "histogram"};
  name_ = name;
  head_ = "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " " +
          kTypes[static_cast<std::size_t>(type)] + "\n";
}

void MetricsText::sample(std::string_view suffix, const Labels& labels, double value) {
  out_ += std::exchange(head_, "");
  out_ += name_;
  out_ += suffix;
  char separator = '{';
  for (const auto& [label, text] : labels) {
    if (text.empty()) continue;
    out_ += separator;
    out_ += std::string(label) + "=" + quoted(text);
    separator = ',';
  }
  out_ += separator == ',' ? "} " : " ";
  out_ += number(value) + "\n";
}

void RequestMetrics::record(std::string_view route, std::string_view method, int status,
                            double seconds) {
  ++totals_[{std::string(route), std::string(method), status}];
  auto& durations = durations_[std::string(route)];
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++durations.counts[bucket];
  durations.sum += seconds;
}

void RequestMetrics::write(MetricsText& out) const {
  out.family("http_requests_total", MetricsText::Type::counter,
             "Requests answered; route is the pattern, none where there was no such route.");
  for (const auto& [key, count] : totals_) {
    const auto& [route, method, status] = key;
    out.sample({{"route", route}, {"method", method}, {"code", std::to_string(status)}},
               static_cast<double>(count));
  }
  out.family("http_request_duration_seconds", MetricsText::Type::histogram,
             "From the end of a request's head to the last byte of its response.");
  for (const auto& [route, durations] : durations_) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < durations.counts.size(); ++i) {
      total += durations.counts[i];
      out.sample("_bucket",
                 {{"route", route}, {"le", i < kBounds.size() ? bound_text(kBounds[i]) : "+Inf"}},
                 static_cast<double>(total));
    }
    out.sample("_sum", {{"route", route}}, durations.sum);
    out.sample("_count", {{"route", route}}, static_cast<double>(total));
  }
}

}  // namespace lk
