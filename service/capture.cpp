#include "service/capture.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/json_write.hpp"
#include "service/capture_redact.hpp"

namespace lk {

namespace {

struct GapRecord {
  std::string path;
  std::string error;

  static constexpr std::string_view kSchema = "CaptureGap";
  static constexpr auto fields() {
    return std::tuple{field("path", &GapRecord::path, "what is not in the tree"),
                      field("error", &GapRecord::error, "errno's name; ETIMEDOUT: no answer")};
  }
};

struct TreeRecord {
  std::string lanekeeper;
  std::string captured_at;
  bool redacted = false;
  std::vector<GapRecord> gaps;

  static constexpr std::string_view kSchema = "CapturedTree";
  static constexpr auto fields() {
    using T = TreeRecord;
    return std::tuple{field("lanekeeper", &T::lanekeeper, "version that captured it"),
                      field("captured_at", &T::captured_at, "UTC"),
                      field("redacted", &T::redacted, "identifiers were replaced"),
                      field("gaps", &T::gaps, "what could not be read")};
  }
};

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::string text(32, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
  return text;
}

TreeEntry record_of(const CaptureOptions& options, const std::vector<CaptureGap>& gaps) {
  TreeRecord record{LK_VERSION, now_utc(), options.redact, {}};
  for (const auto& gap : gaps) record.gaps.push_back({gap.path, errno_name(gap.err)});
  return {TreeEntry::Kind::file, 0444, to_json(record, 2) + '\n'};
}

// rename(2) would replace a device or a link; only a file may be written anew.
Status check_target(const std::string& file) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return ok_status();
  if (S_ISDIR(info.st_mode)) return Error{"cannot write", file, EISDIR};
  return Error{"not a regular file, name another one:", file, EINVAL};
}

}  // namespace

Result<CaptureReport> capture(const CaptureOptions& options, const std::string& executable) {
  if (auto status = check_target(options.out); !status) return status.error();
  auto walked = walk_in_child(options, executable);
  if (!walked) return walked.error();
  if (std::none_of(walked->entries.begin(), walked->entries.end(),
                   [](const auto& entry) { return entry.second.kind == TreeEntry::Kind::file; })) {
    return Error{"nothing could be read of", options.root, 0};
  }
  CaptureReport report;
  report.gaps = std::move(walked->gaps);
  auto entries = std::move(walked->entries);
  entries["tree.json"] = record_of(options, report.gaps);
  if (options.redact) {
    auto redacted = redact_tree(std::move(entries));
    if (!redacted) return redacted.error();
    entries = std::move(redacted->entries);
    report.secrets = redacted->secrets;
  }
  report.entries = entries.size();
  if (auto status = write_archive(entries, options.out); !status) return status.error();
  return report;
}

}  // namespace lk
