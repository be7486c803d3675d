// Result<T>: a value, or an Error that names the operation, the path and the errno.
//
// Everything below api/ reports failure with it; exceptions are left to programmer errors and
// to memory exhaustion. A message reads "cannot read sys/x/y: No such file or directory (ENOENT)".
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace lk {

struct Error {
  std::string what;  // "cannot read", "not a number: \"abc\""; lower case, no full stop
  std::string path;  // kernel path without leading slash, file name, or empty
  int err = 0;       // errno, 0 where none applies

  // One line for people: what, path, and the errno's text and name.
  std::string message() const;
};

// "ENOENT" for 2; "errno 4095" for what has no name.
std::string errno_name(int err);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }

  // A temporary gives its value away and lends nothing: a loop over `*read()` has what it loops
  // over, and one over `read()->items` does not compile.
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() & { return &std::get<0>(state_); }
  const T* operator->() const& { return &std::get<0>(state_); }
  T* operator->() && = delete;
  const T* operator->() const&& = delete;

  const Error& error() const& { return std::get<1>(state_); }
  Error error() && { return std::get<1>(std::move(state_)); }

  T value_or(T fallback) const& { return ok() ? **this : std::move(fallback); }

 private:
  std::variant<T, Error> state_;
};

// Success carries nothing; failure is an Error.
using Status = Result<std::monostate>;
inline Status ok_status() {
  return Status{std::monostate{}};
}

}  // namespace lk
