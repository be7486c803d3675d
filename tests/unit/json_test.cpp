#include <doctest/doctest.h>

#include "base/json_read.hpp"
#include "base/json_write.hpp"
#include "base/schema.hpp"

using namespace lk;

namespace {

enum class Colour { red, green };
constexpr auto names(Colour) {
  return EnumNames<Colour, 2>{{{Colour::red, "red"}, {Colour::green, "green"}}};
}

struct Inner {
  std::int64_t number = 0;
  static constexpr std::string_view kSchema = "Inner";
  template <class Self = Inner>
  static constexpr auto fields() {
    return std::tuple{field("number", &Self::number, "a number")};
  }
};

struct Outer {
  std::optional<std::string> text;
  CpuSet cpus;
  Colour colour = Colour::red;
  std::vector<Inner> list;
  std::map<std::string, std::optional<std::int64_t>> map;
  bool flag = false;
  double real = 0;
  static constexpr std::string_view kSchema = "Outer";
  static constexpr auto fields() {
    return std::tuple{field("text", &Outer::text, ""),     field("cpus", &Outer::cpus, ""),
                      field("colour", &Outer::colour, ""), field("list", &Outer::list, ""),
                      field("map", &Outer::map, ""),       field("flag", &Outer::flag, ""),
                      field("real", &Outer::real, "")};
  }
};

std::string refusal(std::string_view text) {
  const auto outer = from_json<Outer>(text);
  return outer ? "accepted" : outer.error().message();
}

const std::string kWhole = R"({"text":null,"cpus":"0-3,8","colour":"green","list":[{"number":-7}],)"
                           R"("map":{"a":1,"b":null},"flag":true,"real":2.5})";

}  // namespace

TEST_CASE("json: what is written is read back the same") {
  const auto outer = from_json<Outer>(kWhole);
  REQUIRE(outer.ok());
  CHECK_FALSE(outer->text.has_value());
  CHECK(outer->cpus.contains(8));
  CHECK(outer->colour == Colour::green);
  CHECK(to_json(*outer) == kWhole);
}

TEST_CASE("json: refusals name the place") {
  const auto with = [](const std::string& from, const std::string& to) {
    auto text = kWhole;
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  CHECK(with("\"flag\":true", "\"flog\":true") == "unknown \"flog\", is \"flag\" meant? at /flog");
  CHECK(with("-7", "1.5") == "a whole number is wanted at /list/0/number");
  CHECK(with("-7", "99999999999999999999") == "a whole number is wanted at /list/0/number");
  CHECK(with("green", "gren") == "unknown \"gren\", is \"green\" meant? at /colour");
  CHECK(with("0-3,8", "3-0") == "CPU range runs backwards: 3-0 at /cpus");
  CHECK(with(",\"flag\":true", "") == "is missing at /flag");
  CHECK(with("\"flag\":true", "\"flag\":1") == "true or false is wanted at /flag");
  CHECK(with("\"b\":null", "\"a\":null") == "JSON refused: key \"a\" stands twice");
  CHECK(refusal("[]") == "an object is wanted at /");
  CHECK(refusal("{").starts_with("not JSON, byte "));
  CHECK(refusal(std::string(100000, '[')) == "an object is wanted at /");
  CHECK(with("\"number\":-7", "\"number\":-7,\"number\":7") ==
        "JSON refused: key \"number\" stands twice");
  const auto deep = parse_json(std::string(100000, '['));
  REQUIRE_FALSE(deep.ok());
  CHECK(deep.error().message().find("nested too deeply") != std::string::npos);
}

TEST_CASE("json: odd bytes never break the text") {
  const std::string odd = std::string("a\"\\\n\t\x01\x7f") + "\xff\xc3" + "é";
  CHECK(to_json(odd) == "\"a\\\"\\\\\\n\\t\\u0001\\u007f\xEF\xBF\xBD\xEF\xBF\xBDé\"");
  CHECK(parse_json(to_json(odd)).ok());
  CHECK(to_json(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("json: indented") {
  CHECK(to_json(std::vector<int>{1, 2}, 2) == "[\n  1,\n  2\n]");
  CHECK(to_json(std::vector<int>{}, 2) == "[]");
  CHECK(to_json(Inner{}, 2) == "{\n  \"number\": 0\n}");
}

TEST_CASE("schema: every field, nullable where optional") {
  Schemas schemas;
  schemas.add<Outer>();
  const auto json = parse_json(schemas.texts().at("Outer"));
  REQUIRE(json.ok());
  CHECK((*json)["required"].size() == 7);
  CHECK((*json)["properties"]["text"]["anyOf"][1]["type"] == "null");
  CHECK((*json)["properties"]["colour"]["enum"] == Json({"red", "green"}));
  CHECK((*json)["properties"]["list"]["items"]["$ref"] == "#/components/schemas/Inner");
  CHECK(schemas.texts().contains("Inner"));
}

TEST_CASE("json: what a terminal would obey is escaped, and comes back") {
  const std::string text = "a\x1b[1m\x7f\u009b\u202e\u2028\u00e9";
  const auto json = lk::to_json(text);
  CHECK(json == "\"a\\u001b[1m\\u007f\\u009b\\u202e\\u2028\u00e9\"");
  CHECK(lk::Json::parse(json).get<std::string>() == text);
}
