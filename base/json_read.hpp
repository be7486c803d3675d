// Strict JSON in: an unknown key, a wrong type, a missing required key or a duplicate key is
// refused, with a JSON pointer to it. Values go where they belong as the text is parsed; there is
// no tree in between (that of a host with 10,000 interrupts takes ten times the memory of its
// text). Include this in few files: nlohmann/json is heavy to compile.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/fields.hpp"
#include "base/result.hpp"

namespace lk {

using Json = nlohmann::json;

constexpr int kMostJsonDepth = 32;

// The text as a tree, where its members are not known beforehand. Refuses duplicate keys and
// nesting deeper than `depth`. Error.path is empty; Error.what says at which byte.
Result<Json> parse_json(std::string_view text, int depth = kMostJsonDepth);

// "/checks/0/expect" for error messages; RFC 6901.
std::string pointer_join(const std::string& parent, std::string_view key);

class Sink;

// A value that waits to be filled.
struct Slot {
  void* at = nullptr;
  const Sink* sink = nullptr;
};

// What can be put into a value of one type, which is at `at`. What a type does not take is refused:
// false, and `why` says what it wants.
class Sink {
 public:
  explicit Sink(const char* wanted) : wanted_(wanted) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  virtual bool null(void*, std::string& why) const { return refuse(why); }
  virtual bool boolean(void*, bool, std::string& why) const { return refuse(why); }
  virtual bool integer(void*, std::int64_t, std::string& why) const { return refuse(why); }
  virtual bool natural(void*, std::uint64_t, std::string& why) const { return refuse(why); }
  virtual bool number(void*, double, std::string& why) const { return refuse(why); }
  virtual bool text(void*, const std::string&, std::string& why) const { return refuse(why); }
  virtual bool object(void*, std::string& why) const { return refuse(why); }
  virtual bool list(void*, std::string& why) const { return refuse(why); }

  // Of an object: the member's place. `seen` has a bit for each field that came.
  virtual Slot member(void*, const std::string&, std::uint64_t&, std::string&) const { return {}; }
  // Of an object, at its end: the name of a field that must be there and did not come, or "".
  virtual std::string missing(std::uint64_t) const { return {}; }
  // Of a list.
  virtual Slot element(void*) const { return {}; }
  // Of an optional: the value inside, made.
  virtual Slot present(void*) const { return {}; }

 protected:
  bool refuse(std::string& why) const {
    why = wanted_;
    return false;
  }

 private:
  const char* wanted_;
};

template <class T>
const Sink& sink_of();

std::string unknown_word(const std::string& word, const std::vector<std::string>& known);

class BooleanSink : public Sink {
 public:
  BooleanSink() : Sink("true or false is wanted") {}
  bool boolean(void* at, bool value, std::string&) const override {
    *static_cast<bool*>(at) = value;
    return true;
  }
};

template <class Number>
class NumberSink : public Sink {
 public:
  static constexpr bool kFloating = std::floating_point<Number>;
  NumberSink() : Sink(kFloating ? "a number is wanted" : "a whole number is wanted") {}
  bool integer(void* at, std::int64_t value, std::string& why) const override {
    return put(at, value, why);
  }
  bool natural(void* at, std::uint64_t value, std::string& why) const override {
    return put(at, value, why);
  }
  bool number(void* at, double value, std::string& why) const override {
    if constexpr (kFloating) {
      *static_cast<Number*>(at) = value;
      return true;
    }
    return refuse(why);
  }

 private:
  template <class Given>
  static bool put(void* at, Given value, std::string& why) {
    if constexpr (!kFloating) {
      if (!std::in_range<Number>(value)) {
        why = "the number is out of range";
        return false;
      }
    }
    *static_cast<Number*>(at) = static_cast<Number>(value);
    return true;
  }
};

// Strings, CPU sets and enums.
template <class T>
class TextSink : public Sink {
 public:
  TextSink() : Sink("a string is wanted") {}
  bool text(void* at, const std::string& value, std::string& why) const override {
    auto& out = *static_cast<T*>(at);
    if constexpr (std::same_as<T, std::string>) {
      out = value;
    } else if constexpr (std::same_as<T, CpuSet>) {
      auto set = CpuSet::parse_list(value);
      if (!set) {
        why = set.error().what;
        return false;
      }
      out = *std::move(set);
    } else {
      const auto named = from_name<T>(value);
      if (!named) {
        std::vector<std::string> known;
        for (const auto& each : names(T{})) known.emplace_back(each.second);
        why = unknown_word(value, known);
        return false;
      }
      out = *named;
    }
    return true;
  }
};

template <class Inner>
class OptionalSink : public Sink {
 public:
  OptionalSink() : Sink("") {}
  bool null(void* at, std::string&) const override {
    static_cast<std::optional<Inner>*>(at)->reset();
    return true;
  }
  Slot present(void* at) const override {
    return {&static_cast<std::optional<Inner>*>(at)->emplace(), &sink_of<Inner>()};
  }
};

template <class Element>
class ListSink : public Sink {
 public:
  ListSink() : Sink("a list is wanted") {}
  bool list(void* at, std::string&) const override {
    static_cast<std::vector<Element>*>(at)->clear();
    return true;
  }
  Slot element(void* at) const override {
    return {&static_cast<std::vector<Element>*>(at)->emplace_back(), &sink_of<Element>()};
  }
};

template <class Mapped>
class MapSink : public Sink {
 public:
  using Map = std::map<std::string, Mapped>;
  MapSink() : Sink("an object is wanted") {}
  bool object(void* at, std::string&) const override {
    static_cast<Map*>(at)->clear();
    return true;
  }
  Slot member(void* at, const std::string& key, std::uint64_t&, std::string& why) const override {
    const auto [place, is_new] = static_cast<Map*>(at)->try_emplace(key);
    if (is_new) return {&place->second, &sink_of<Mapped>()};
    why = "stands twice";
    return {};
  }
};

template <Described T>
class StructSink : public Sink {
 public:
  StructSink() : Sink("an object is wanted") {}
  bool object(void* at, std::string&) const override {
    *static_cast<T*>(at) = T{};
    return true;
  }
  Slot member(void* at, const std::string& key, std::uint64_t& seen,
              std::string& why) const override {
    Slot found;
    std::uint64_t bit = 1;
    bool twice = false;
    for_each_field<T>([&](const auto& each) {
      if (found.sink == nullptr && !twice && each.name == key) {
        twice = (seen & bit) != 0;
        seen |= bit;
        auto& place = static_cast<T*>(at)->*each.member;
        if (!twice) found = {&place, &sink_of<std::remove_cvref_t<decltype(place)>>()};
      }
      bit <<= 1U;
    });
    if (found.sink != nullptr) return found;
    if (twice) {
      why = "stands twice";
      return {};
    }
    std::vector<std::string> known;
    for_each_field<T>([&](const auto& each) { known.emplace_back(each.name); });
    why = unknown_word(key, known);
    return {};
  }
  std::string missing(std::uint64_t seen) const override {
    std::string name;
    std::uint64_t bit = 1;
    for_each_field<T>([&](const auto& each) {
      using Member = std::remove_cvref_t<decltype(std::declval<T&>().*each.member)>;
      const bool came = (seen & bit) != 0;
      if (!came && !is_optional<Member>::value && name.empty()) name = each.name;
      bit <<= 1U;
    });
    return name;
  }
};

template <class T>
const Sink& sink_of() {
  if constexpr (std::same_as<T, bool>) {
    static const BooleanSink sink;
    return sink;
  } else if constexpr (std::is_arithmetic_v<T>) {
    static const NumberSink<T> sink;
    return sink;
  } else if constexpr (is_optional<T>::value) {
    static const OptionalSink<typename T::value_type> sink;
    return sink;
  } else if constexpr (is_vector<T>::value) {
    static const ListSink<typename T::value_type> sink;
    return sink;
  } else if constexpr (is_string_map<T>::value) {
    static const MapSink<typename T::mapped_type> sink;
    return sink;
  } else if constexpr (Described<T>) {
    static const StructSink<T> sink;
    return sink;
  } else {
    static const TextSink<T> sink;
    return sink;
  }
}

// Fills `into` from the whole text. Error.path is the JSON pointer; it is empty for what is no
// JSON.
Status read_json(std::string_view text, Slot into);

template <class T>
Result<T> from_json(std::string_view text) {
  T out{};
  if (auto status = read_json(text, {&out, &sink_of<T>()}); !status) return status.error();
  return out;
}

}  // namespace lk
