#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tuners/profile_raw.hpp"

namespace lk {

namespace {

constexpr std::array<std::string_view, 9> kWhereKeys{"vendor", "model",     "virtualization",
                                                     "driver", "transport", "role",
                                                     "owner",  "label",     "locality"};

template <class Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}

template <NamedEnum E>
std::vector<std::string> enum_words() {
  std::vector<std::string> words;
  for (const auto& each : names(E{})) words.emplace_back(each.second);
  return words;
}

std::vector<std::string> knob_ids() {
  std::vector<std::string> ids;
  for (const Knob* knob : knobs()) ids.emplace_back(knob->id);
  return ids;
}

// Decodes the keys of one merged check; every error names the line that said it.
class CheckDecoder {
 public:
  CheckDecoder(const RawProfile& profile, const RawCheck& raw) : profile_(profile), raw_(raw) {}

  Result<Check> decode() {
    check_.id = raw_.id;
    check_.origin = raw_.file + ":" + std::to_string(raw_.line);
    for (const auto step :
         {&CheckDecoder::knob, &CheckDecoder::expect, &CheckDecoder::where, &CheckDecoder::severity,
          &CheckDecoder::tune, &CheckDecoder::enforce, &CheckDecoder::why}) {
      if (auto status = (this->*step)(); !status) return status.error();
    }
    return check_;
  }

 private:
  const RawValue* key(const std::string& name) const {
    const auto found = raw_.keys.find(name);
    if (found == raw_.keys.end() || found->second.node.kind == YamlNode::Kind::null) {
      return nullptr;
    }
    return &found->second;
  }

  static Error at(const RawValue& value, const std::string& what) {
    return yaml_error(value.file, value.line, what);
  }

  // "${name}" by the variable's text.
  Result<std::string> replace(const RawValue& value, const std::string& text) const {
    std::string out;
    std::size_t from = 0;
    for (;;) {
      const auto start = text.find("${", from);
      out += text.substr(from, start == std::string::npos ? start : start - from);
      if (start == std::string::npos) return out;
      const auto end = text.find('}', start);
      if (end == std::string::npos) return at(value, "\"${\" without \"}\" in \"" + text + "\"");
      const auto name = text.substr(start + 2, end - start - 2);
      const auto found = profile_.variables.find(name);
      if (found == profile_.variables.end()) return unknown_variable(value, name);
      out += found->second.node.text;
      from = end + 1;
    }
  }

  Error unknown_variable(const RawValue& value, const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& each : profile_.variables) known.push_back(each.first);
    return yaml_unknown(value.file, value.line, "variable", name, known);
  }

  // One text, or a list of texts as "a|b".
  Result<std::string> alternatives(const RawValue& value, const std::string& what) const {
    const auto texts = yaml_texts(value.node, value.file, what);
    if (!texts) return texts.error();
    std::string joined;
    for (std::size_t i = 0; i < texts->size(); ++i) joined += (i == 0 ? "" : "|") + (*texts)[i];
    if (texts->empty()) return at(value, what + " is an empty list");
    return replace(value, joined);
  }

  Result<std::string> word(const RawValue& value, const std::string& what) const {
    const auto text = yaml_text(value.node, value.file, what);
    if (!text) return text.error();
    return replace(value, *text);
  }

  template <NamedEnum E>
  Status choose(const std::string& name, E& out) {
    const RawValue* value = key(name);
    if (value == nullptr) return ok_status();
    const auto text = word(*value, name);
    if (!text) return text.error();
    const auto found = from_name<E>(*text);
    if (!found) return yaml_unknown(value->file, value->line, name, *text, enum_words<E>());
    out = *found;
    return ok_status();
  }

  Status knob() {
    const RawValue* value = key("knob");
    std::string name = raw_.id;
    if (value != nullptr) {
      const auto text = yaml_text(value->node, value->file, "knob");
      if (!text) return text.error();
      name = *text;
    }
    knob_ = find_knob(name);
    if (knob_ == nullptr) {
      const auto& file = value != nullptr ? value->file : raw_.file;
      const int line = value != nullptr ? value->line : raw_.line;
      return yaml_unknown(file, line, value != nullptr ? "knob" : "check without a knob", name,
                          knob_ids());
    }
    check_.knob = name;
    return ok_status();
  }

  Status expect() {
    const RawValue* value = key("expect");
    if (value == nullptr) return ok_status();
    const auto text = alternatives(*value, "expect");
    if (!text) return text.error();
    auto parsed = Expectation::parse(*text);
    if (!parsed) return at(*value, "expect: " + parsed.error().what);
    check_.expect = *std::move(parsed);
    return answerable(*value);
  }

  // Whether the knob can ever give such a value.
  Status answerable(const RawValue& value) const {
    const auto comparison = check_.expect->comparison;
    const bool listed = comparison == Comparison::one_of || comparison == Comparison::none_of;
    const bool compares = !listed && comparison != Comparison::any;
    const std::string id(knob_->id);
    if (compares && knob_->kind == ValueKind::word) {
      return at(value, "expect: " + id + " is a word and cannot be compared with a number");
    }
    for (const auto& each : check_.expect->values) {
      const auto* text = std::get_if<std::string>(&each);
      if (text == nullptr && knob_->kind == ValueKind::word) {
        return at(value, "expect: " + id + " is a word, not the number " + to_text(each));
      }
      if (text == nullptr) continue;
      if (compares) {
        const auto known = strings(knob_->references);
        if (std::find(known.begin(), known.end(), *text) == known.end()) {
          return yaml_unknown(value.file, value.line, "number of " + id, *text, known);
        }
      } else if (knob_->kind == ValueKind::number) {
        return at(value, "expect: " + id + " is a number, not the word \"" + *text + "\"");
      } else if (!knob_->words.empty()) {
        const auto known = strings(knob_->words);
        if (std::find(known.begin(), known.end(), *text) == known.end()) {
          return yaml_unknown(value.file, value.line, "value of " + id, *text, known);
        }
      }
    }
    return ok_status();
  }

  Status where() {
    const RawValue* value = key("where");
    if (value == nullptr) return ok_status();
    auto keys = yaml_keys(value->node, strings(kWhereKeys), value->file, "where");
    if (!keys) return keys;
    for (const auto& entry : value->node.entries) {
      const auto text = alternatives({entry.value, value->file, entry.line}, entry.key);
      if (!text) return text.error();
      if (auto status = where_value(*value, entry, *text); !status) return status;
      check_.where[entry.key] = *text;
    }
    return ok_status();
  }

  static Status where_value(const RawValue& value, const YamlEntry& entry,
                            const std::string& text) {
    std::vector<std::string> known;
    if (entry.key == "role") known = enum_words<Role>();
    if (entry.key == "owner") known = enum_words<OwnerKind>();
    if (entry.key == "locality") known = {"drive"};
    for (const auto piece : split(text, '|')) {
      if (trim(piece).empty()) {
        return yaml_error(value.file, entry.line, entry.key + " has an empty alternative");
      }
      const std::string each(piece);
      if (entry.key == "label" && each.find('=') == std::string::npos) {
        return yaml_error(value.file, entry.line, "label must be \"key=value\"");
      }
      if (!known.empty() && std::find(known.begin(), known.end(), each) == known.end()) {
        return yaml_unknown(value.file, entry.line, entry.key, each, known);
      }
    }
    return ok_status();
  }

  Status severity() { return choose("severity", check_.severity); }

  Status tune() {
    if (auto status = choose("tune", check_.tune); !status) return status;
    if (check_.tune == Tune::never) return ok_status();
    const std::string id(knob_->id);
    const RawValue& value = *key("tune");
    if (knob_->risk == Risk::report_only) {
      return at(value, "tune: " + id + " is never written; only \"never\" fits");
    }
    if (knob_->risk == Risk::disruptive && check_.tune == Tune::safe) {
      return at(value, "tune: writing " + id + " is disruptive; say \"disruptive\" or \"never\"");
    }
    return ok_status();
  }

  Status enforce() {
    const RawValue* value = key("enforce");
    if (value == nullptr) return ok_status();
    const auto flag = yaml_bool(value->node, value->file, "enforce");
    if (!flag) return flag.error();
    if (*flag && check_.tune == Tune::never) {
      return at(*value, "enforce needs tune: safe or tune: disruptive");
    }
    check_.enforce = *flag;
    return ok_status();
  }

  Status why() {
    const RawValue* value = key("why");
    if (value == nullptr) return ok_status();
    const auto text = word(*value, "why");
    if (!text) return text.error();
    check_.why = *text;
    return ok_status();
  }

  const RawProfile& profile_;
  const RawCheck& raw_;
  const Knob* knob_ = nullptr;
  Check check_;
};

Result<bool> is_disabled(const RawCheck& check) {
  const auto found = check.keys.find("disabled");
  if (found == check.keys.end()) return false;
  return yaml_bool(found->second.node, found->second.file, "disabled");
}

}  // namespace

Result<Profile> decode_profile(const RawProfile& merged) {
  Profile profile;
  profile.name = merged.name;
  profile.description = merged.description;
  profile.file = merged.file;
  for (const auto& base : merged.extends) profile.extends.push_back(base.name);
  for (const auto& raw : merged.checks) {
    auto check = CheckDecoder(merged, raw).decode();
    if (!check) return check.error();
    const auto disabled = is_disabled(raw);
    if (!disabled) return disabled.error();
    if (!*disabled) profile.checks.push_back(*std::move(check));
  }
  return profile;
}

}  // namespace lk
