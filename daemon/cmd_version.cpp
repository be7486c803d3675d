#include "base/json_write.hpp"
#include "daemon/session.hpp"

namespace lk {

namespace {

struct Version {
  std::string version;
  std::string compiler;

  static constexpr std::string_view kSchema = "ProgramVersion";
  template <class Self = Version>
  static constexpr auto fields() {
    return std::tuple{field("version", &Self::version, "of Lanekeeper"),
                      field("compiler", &Self::compiler, "that built it")};
  }
};

int run(const Arguments& arguments) {
  const Version version{LK_VERSION, __VERSION__};
  if (arguments.json()) return show(to_json(version, 2) + '\n');
  return show("lanekeeper " + version.version + '\n');
}

}  // namespace

Command version_command() {
  return {.name = "version", .summary = "show the version", .takes = {.output = true}, .run = run};
}

}  // namespace lk
