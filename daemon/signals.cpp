#include "daemon/signals.hpp"

#include <csignal>

namespace lk {

namespace {

using Handler = void (*)(int);

Handler& before() {
  static Handler handler = SIG_ERR;
  return handler;
}

}  // namespace

void ignore_broken_pipes() {
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  if (before() == SIG_ERR) before() = handler;
}

void restore_broken_pipes() {
  if (before() != SIG_ERR) std::signal(SIGPIPE, before());
}

}  // namespace lk
