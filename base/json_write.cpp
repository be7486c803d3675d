#include "base/json_write.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace lk {

namespace {

// "\\u009b" of a well-formed sequence of at most three bytes.
void append_escaped(std::string& out, std::string_view sequence) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::array<unsigned, 4> kLeadBits{0, 0x7F, 0x1F, 0x0F};
  unsigned code = static_cast<unsigned char>(sequence[0]) & kLeadBits.at(sequence.size());
  for (const char each : sequence.substr(1)) {
    code = code << 6U | (static_cast<unsigned char>(each) & 0x3FU);
  }
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[code >> shift & 15U];
}

// Printable ASCII that is written as it is.
std::size_t clean_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= ' ' && text[length] < '\x7f' &&
         text[length] != '"' && text[length] != '\\') {
    ++length;
  }
  return length;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const auto clean = clean_length(text);
    out += text.substr(0, clean);
    text.remove_prefix(clean);
    if (text.empty()) break;
    const auto length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += text[0];
    } else if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (misleads(text.substr(0, length))) {
      append_escaped(out, text.substr(0, length));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

template <class Number>
std::string_view number_text(std::array<char, 40>& buffer, Number number) {
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

}  // namespace

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) out_ += ',';
  new_line();
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  out_ += bracket;
  first_ = false;
}

void JsonWriter::token(std::string_view text) {
  separate();
  out_ += text;
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_ += indent_ == 0 ? ":" : ": ";
  first_ = false;
  after_key_ = true;
}

void JsonWriter::value(std::int64_t number) {
  std::array<char, 40> buffer;
  token(number_text(buffer, number));
}

void JsonWriter::value(std::uint64_t number) {
  std::array<char, 40> buffer;
  token(number_text(buffer, number));
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 40> buffer;
  token(number_text(buffer, number));
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(out_, text);
  first_ = false;
}

}  // namespace lk
