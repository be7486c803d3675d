#include "api/negotiate.hpp"

#include <doctest/doctest.h>

#include "api/route.hpp"

using namespace lk;

TEST_CASE("percent-encoding") {
  CHECK(percent_decode("a%2Fb%3a+") == "a/b:+");
  CHECK(percent_decode("a+b", true) == "a b");
  for (const auto* bad : {"%", "%1", "%zz", "%00", "a%2"}) {
    CAPTURE(bad);
    CHECK_FALSE(percent_decode(bad));
  }
}

TEST_CASE("queries") {
  const auto query = parse_query("a=1&b=x%26y&&c&d=");
  REQUIRE(query);
  REQUIRE(query->size() == 4);
  CHECK((*query)[1] == std::pair<std::string, std::string>{"b", "x&y"});
  CHECK((*query)[2].second.empty());
  CHECK_FALSE(parse_query("a=%"));
}

TEST_CASE("accept") {
  CHECK(accepts("*/*", "application/json"));
  CHECK(accepts("text/html, application/*;q=0.1", "application/json"));
  CHECK(accepts("text/plain;version=0.0.4;q=0.5", "text/plain; version=0.0.4; charset=utf-8"));
  CHECK(accepts("Application/JSON", "application/json"));
  CHECK_FALSE(accepts("text/html", "application/json"));
  CHECK_FALSE(accepts("application/json;q=0, */*", "application/json"));
  CHECK_FALSE(accepts("*/*;q=0.0", "application/json"));
  CHECK_FALSE(accepts("app/*", "application/json"));
}

TEST_CASE("entity tags are compared weakly") {
  CHECK(etag_matches("\"a\"", "\"a\""));
  CHECK(etag_matches("W/\"a\"", "\"a\""));
  CHECK(etag_matches("\"b\", W/\"a\"", "W/\"a\""));
  CHECK(etag_matches("*", "\"a\""));
  CHECK_FALSE(etag_matches("\"b\"", "\"a\""));
  CHECK_FALSE(etag_matches("a", "\"a\""));
  CHECK(content_etag("x") != content_etag("y"));
}

TEST_CASE("patterns") {
  std::map<std::string, std::string, std::less<>> arguments;
  CHECK(match_pattern("/v1/knobs/{id}", "/v1/knobs/a%2Fb", arguments));
  CHECK(arguments["id"] == "a/b");
  for (const auto* bad :
       {"/v1/knobs", "/v1/knobs/", "/v1/knobs/a/b", "/v1/knobs/%zz", "//v1/knobs/a", ""}) {
    CAPTURE(bad);
    CHECK_FALSE(match_pattern("/v1/knobs/{id}", bad, arguments));
  }
}
