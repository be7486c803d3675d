// Takes secrets out of texts that leave the host.
#pragma once

#include <string>
#include <string_view>

namespace lk {

// The kernel command line with the values of password=, token=, secret=, key=, credential= and
// the like replaced by "REDACTED", and user:password@ taken out of URLs. Quotes are understood.
std::string redact_cmdline(std::string_view cmdline);

}  // namespace lk
