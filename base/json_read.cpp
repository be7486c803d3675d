#include "base/json_read.hpp"

#include <set>

#include "base/text.hpp"

namespace lk {

namespace {

// Hands each value of the text to the slot that waits for it.
class Filler : public nlohmann::json_sax<Json> {
 public:
  explicit Filler(Slot whole) : whole_(whole) {}

  bool null() override {
    const auto slot = target();
    return done(slot.sink->null(slot.at, why_));
  }
  bool boolean(bool value) override {
    return put([&](Slot to) { return to.sink->boolean(to.at, value, why_); });
  }
  bool number_integer(number_integer_t value) override {
    return put([&](Slot to) { return to.sink->integer(to.at, value, why_); });
  }
  bool number_unsigned(number_unsigned_t value) override {
    return put([&](Slot to) { return to.sink->natural(to.at, value, why_); });
  }
  bool number_float(number_float_t value, const string_t&) override {
    return put([&](Slot to) { return to.sink->number(to.at, value, why_); });
  }
  bool string(string_t& value) override {
    return put([&](Slot to) { return to.sink->text(to.at, value, why_); });
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    return begin(false, [&](Slot to) { return to.sink->object(to.at, why_); });
  }
  bool start_array(std::size_t) override {
    return begin(true, [&](Slot to) { return to.sink->list(to.at, why_); });
  }
  bool key(string_t& name) override {
    auto& frame = frames_.back();
    member_ = frame.slot.sink->member(frame.slot.at, name, frame.seen, why_);
    if (member_.sink != nullptr) {
      frame.key = name;
      return true;
    }
    if (why_ == "stands twice") return refuse("key \"" + name + "\" stands twice");
    frame.key = name;
    return fail();
  }
  bool end_object() override {
    auto& frame = frames_.back();
    if (const auto name = frame.slot.sink->missing(frame.seen); !name.empty()) {
      frame.key = name;
      why_ = "is missing";
      return fail();
    }
    frames_.pop_back();
    return true;
  }
  bool end_array() override {
    frames_.pop_back();
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    error_ = Error{"not JSON, byte " + std::to_string(byte), {}, 0};
    return false;
  }

  Error error() const { return error_; }

 private:
  struct Frame {
    Slot slot;
    bool is_list = false;
    std::size_t elements = 0;
    std::uint64_t seen = 0;
    std::string key;  // of the member in hand
  };

  Slot target() {
    if (frames_.empty()) return whole_;
    auto& frame = frames_.back();
    if (!frame.is_list) return member_;
    ++frame.elements;
    return frame.slot.sink->element(frame.slot.at);
  }

  // The value inside the optionals.
  Slot inner_target() {
    auto slot = target();
    for (auto inner = slot.sink->present(slot.at); inner.sink != nullptr;
         inner = slot.sink->present(slot.at)) {
      slot = inner;
    }
    return slot;
  }

  template <class Put>
  bool put(Put into) {
    return done(into(inner_target()));
  }

  template <class Begin>
  bool begin(bool is_list, Begin into) {
    const auto slot = inner_target();
    if (!into(slot)) return fail();
    frames_.push_back({slot, is_list, 0, 0, {}});
    return true;
  }

  bool done(bool taken) { return taken || fail(); }

  bool refuse(const std::string& what) {
    error_ = Error{"JSON refused: " + what, {}, 0};
    return false;
  }

  // At the value in hand.
  bool fail() {
    std::string pointer;
    for (const auto& frame : frames_) {
      pointer =
          pointer_join(pointer, frame.is_list ? std::to_string(frame.elements - 1) : frame.key);
    }
    error_ = Error{why_ + " at", pointer.empty() ? "/" : pointer, 0};
    return false;
  }

  Slot whole_;
  Slot member_;
  std::vector<Frame> frames_;
  std::string why_;
  Error error_;
};

}  // namespace

Status read_json(std::string_view text, Slot into) {
  Filler filler(into);
  if (Json::sax_parse(text, &filler)) return ok_status();
  return filler.error();
}

Result<Json> parse_json(std::string_view text, int depth) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string refused;
  const auto watch = [&](int level, Json::parse_event_t event, Json& parsed) {
    if (level >= depth && refused.empty()) refused = "nested too deeply";
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && refused.empty() &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      refused = "key \"" + parsed.get<std::string>() + "\" stands twice";
    }
    return refused.empty();
  };
  try {
    auto json = Json::parse(text, watch);
    if (!refused.empty()) return Error{"JSON refused: " + refused, {}, 0};
    return json;
  } catch (const Json::parse_error& error) {
    if (!refused.empty()) return Error{"JSON refused: " + refused, {}, 0};
    return Error{"not JSON, byte " + std::to_string(error.byte), {}, 0};
  }
}

std::string pointer_join(const std::string& parent, std::string_view key) {
  std::string out = parent + '/';
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unknown_word(const std::string& word, const std::vector<std::string>& known) {
  std::string what = "unknown \"" + word + "\"";
  if (const auto near = nearest(word, known); !near.empty()) what += ", is \"" + near + "\" meant?";
  return what;
}

}  // namespace lk
