// Metrics in the Prometheus text format 0.0.4. What is unknown has no sample: never a 0.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace lk {

struct Api;

// Writes families. A family without samples is not written at all.
class MetricsText {
 public:
  enum class Type { gauge, counter, histogram };
  // Labels with an empty value are left out, which to Prometheus is the same.
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  // Starts a family; `name` without prefix, as "inventory_generation".
  void family(std::string_view name, Type type, std::string_view help);
  // As family(), but the name is whole.
  void plain_family(std::string_view name, Type type, std::string_view help);
  void sample(const Labels& labels, double value) { sample("", labels, value); }
  // `suffix` is one of a histogram's: "_bucket", "_sum", "_count".
  void sample(std::string_view suffix, const Labels& labels, double value);

  void append(std::string_view whole_families) { out_ += whole_families; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string name_;
  std::string head_;  // HELP and TYPE, until the first sample
};

// Counts requests. Labels are patterns, names of methods and statuses, so their number is bounded.
class RequestMetrics {
 public:
  void record(std::string_view route, std::string_view method, int status, double seconds);
  void write(MetricsText& out) const;

 private:
  static constexpr std::array kBounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                      0.05,   0.1,   0.25,   0.5,   1.0,  2.5};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // the last: above all bounds
    double sum = 0;
  };
  std::map<std::tuple<std::string, std::string, int>, std::uint64_t> totals_;
  std::map<std::string, Durations, std::less<>> durations_;
};

// All of /metrics.
std::string metrics_text(Api& api);
void write_process_metrics(MetricsText& out);

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace lk
