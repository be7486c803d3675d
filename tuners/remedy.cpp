// The part of observe.hpp that says what to do.
#include <algorithm>

#include "base/text.hpp"
#include "tuners/observe.hpp"

namespace lk {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// How much of the start all texts share, not ending inside a number.
std::size_t common_start(const std::vector<std::string>& texts) {
  const auto& first = texts.front();
  std::size_t length = first.size();
  for (const auto& text : texts) {
    const auto [a, b] = std::mismatch(first.begin(), first.end(), text.begin(), text.end());
    length = std::min(length, static_cast<std::size_t>(a - first.begin()));
  }
  while (length > 0 && length < first.size() && is_digit(first[length - 1])) --length;
  return length;
}

// The same from the end, of what is left behind `start`.
std::size_t common_end(const std::vector<std::string>& texts, std::size_t start) {
  const auto& first = texts.front();
  std::size_t length = first.size() - start;
  for (const auto& text : texts) {
    const std::size_t most = std::min(length, text.size() - start);
    std::size_t same = 0;
    while (same < most && first[first.size() - 1 - same] == text[text.size() - 1 - same]) ++same;
    length = same;
  }
  while (length > 0 && is_digit(first[first.size() - length])) --length;
  return length;
}

std::string brace(const std::vector<std::string>& middles) {
  CpuSet numbers;
  for (const auto& middle : middles) {
    const auto number = parse_int(middle);
    if (!number || *number < 0 || *number >= CpuSet::kMost || std::to_string(*number) != middle) {
      numbers = {};
      break;
    }
    numbers.add(static_cast<unsigned>(*number));
  }
  std::string text;
  std::size_t parts = 0;
  if (numbers.empty()) {
    for (const auto& middle : middles) text += (parts++ == 0 ? "" : ",") + middle;
    return "{" + text + "}";
  }
  const std::string list = numbers.to_list();
  const auto pieces = split(list, ',');
  for (const auto piece : pieces) {
    const auto dash = piece.find('-');
    const std::string part(piece);
    text += parts++ == 0 ? "" : ",";
    text += dash == std::string::npos
                ? part
                : "{" + part.substr(0, dash) + ".." + part.substr(dash + 1) + "}";
  }
  return pieces.size() == 1 ? text : "{" + text + "}";
}

Remedy make(RemedyKind kind, std::string_view text) {
  return Remedy{kind, std::string(text), std::nullopt};
}

}  // namespace

std::string choice(const ObservationGroup& group, const Expectation& wanted) {
  if (wanted.comparison != Comparison::one_of) return {};
  for (const auto& value : wanted.values) {
    auto text = to_text(value);
    const bool everywhere = std::all_of(group.begin(), group.end(), [&](const Observation* seen) {
      const auto& offered = seen->offered;
      return offered.empty() || std::find(offered.begin(), offered.end(), text) != offered.end();
    });
    if (everywhere) return text;
  }
  return {};
}

std::string brace_paths(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  auto sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() == 1) return sorted.front();
  const auto start = common_start(sorted);
  const auto end = common_end(sorted, start);
  std::vector<std::string> middles;
  middles.reserve(sorted.size());
  for (const auto& path : sorted) {
    middles.push_back(path.substr(start, path.size() - start - end));
  }
  return sorted.front().substr(0, start) + brace(middles) +
         sorted.front().substr(sorted.front().size() - end);
}

std::string write_command(const ObservationGroup& group, const std::string& value) {
  std::vector<std::string> paths;
  for (const Observation* seen : group) {
    if (!seen->evidence.empty()) paths.push_back("/" + seen->evidence.front().path);
  }
  return "echo " + value + " | tee " + brace_paths(paths);
}

std::string wanted_number(const Expectation& wanted) {
  if (wanted.values.empty()) return {};
  const auto* number = std::get_if<std::int64_t>(&wanted.values.front());
  if (number == nullptr || wanted.comparison == Comparison::none_of) return {};
  if (wanted.comparison == Comparison::below) return std::to_string(*number - 1);
  if (wanted.comparison == Comparison::above) return std::to_string(*number + 1);
  return std::to_string(*number);
}

Remedy sysctl_remedy(const std::string& name, const Expectation& wanted) {
  return runtime("As root; it holds until the next boot, a file in /etc/sysctl.d keeps it.",
                 "sysctl -w " + name + "=" + wanted_number(wanted));
}

Remedy no_remedy(std::string_view text) {
  return make(RemedyKind::none, text);
}
Remedy runtime(std::string_view text) {
  return make(RemedyKind::runtime, text);
}
Remedy boot(std::string_view text) {
  return make(RemedyKind::boot, text);
}
Remedy firmware(std::string_view text) {
  return make(RemedyKind::firmware, text);
}

Remedy runtime(std::string_view text, std::string command) {
  auto remedy = make(RemedyKind::runtime, text);
  remedy.command = std::move(command);
  return remedy;
}

}  // namespace lk
