#include "api/dispatch.hpp"

#include <doctest/doctest.h>

#include "api/problem.hpp"

using namespace lk;

namespace {

Response echo(const Request& request, Api&) {
  auto response = text_response(200, "text/plain", request.arguments.empty() ? "none" : "some");
  response.etag = "\"tag\"";
  return response;
}

const std::vector<Route> kRoutes{
    {Method::get,
     "/a",
     Access::anyone,
     echo,
     "getA",
     "",
     {"text/plain", nullptr, true},
     {{"q", "", false, true, {"one", "two"}}},
     {},
     0,
     ""},
    {Method::post,
     "/a",
     Access::anyone,
     echo,
     "postA",
     "",
     {"text/plain", nullptr, false},
     {},
     {},
     99,
     "application/json"},
    {Method::get,
     "/b/fixed",
     Access::anyone,
     echo,
     "getFixed",
     "",
     {"text/plain", nullptr, false},
     {},
     {},
     0,
     ""},
    {Method::get,
     "/b/{name}",
     Access::anyone,
     echo,
     "getB",
     "",
     {"text/plain", nullptr, false},
     {},
     {},
     0,
     ""},
};

struct Fixture {
  Engine engine{Config{}, "/bin/false"};
  Api api{engine};
  Dispatcher dispatcher{kRoutes, api, {}, [](const std::string&) {}};

  Response ask(Method method, std::string target, std::vector<Header> headers = {}) {
    Request request;
    request.method = method;
    request.target = std::move(target);
    request.headers = std::move(headers);
    request.peer.port = 7780;
    if (request.header("host") == nullptr) request.headers.push_back({"host", "localhost:7780"});
    auto admission = dispatcher.admit(request);
    return admission.refusal ? *admission.refusal : dispatcher.handle(request);
  }

  std::string code(const Response& response) {
    const auto& text = *response.body;
    const auto start = text.find("\"code\":\"") + 8;
    return text.substr(start, text.find('"', start) - start);
  }
};

std::string header(const Response& response, std::string_view name) {
  for (const auto& each : response.headers) {
    if (each.name == name) return each.value;
  }
  return "";
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a method that a path does not have is answered with those it has") {
  const auto response = ask(Method::delete_, "/a");
  CHECK(response.status == 405);
  CHECK(header(response, "Allow") == "GET, HEAD, POST");
  CHECK(ask(Method::options, "*").status == 405);
  CHECK(ask(Method::post, "/b/fixed").status == 405);
}

TEST_CASE_FIXTURE(Fixture, "a fixed path wins over one with a parameter") {
  CHECK(*ask(Method::get, "/b/fixed").body == "none");
  CHECK(*ask(Method::get, "/b/other").body == "some");
}

TEST_CASE_FIXTURE(Fixture, "a body must be of the route's type") {
  const std::vector<Header> length{{"content-length", "1"}};
  auto typed = length;
  typed.push_back({"content-type", "Application/JSON; charset=utf-8"});
  CHECK(ask(Method::post, "/a", length).status == 415);
  CHECK(ask(Method::post, "/a", typed).status == 200);
}

TEST_CASE_FIXTURE(Fixture, "writes from pages of another origin are refused, reads are not") {
  const std::vector<Header> foreign{{"origin", "http://evil.test"}};
  CHECK(ask(Method::post, "/a", foreign).status == 403);
  CHECK(ask(Method::post, "/a", {{"sec-fetch-site", "cross-site"}}).status == 403);
  CHECK(ask(Method::post, "/a", {{"origin", "http://LOCALHOST:7780"}}).status == 200);
  CHECK(ask(Method::get, "/a", foreign).status == 200);
}

TEST_CASE_FIXTURE(Fixture, "queries are strict") {
  CHECK(ask(Method::get, "/a?q=one,two").status == 200);
  CHECK(code(ask(Method::get, "/a?q=one,three")) == "parameter_invalid");
  CHECK(code(ask(Method::get, "/a?q=one&q=two")) == "parameter_invalid");
  CHECK(code(ask(Method::get, "/a?r=one")) == "parameter_unknown");
  CHECK(code(ask(Method::get, "/b/x?q=one")) == "parameter_unknown");
  CHECK(code(ask(Method::get, "/a?q=%")) == "bad_request");
}

TEST_CASE_FIXTURE(Fixture, "what a client has is not sent again") {
  const auto response = ask(Method::get, "/a", {{"if-none-match", "W/\"tag\""}});
  CHECK(response.status == 304);
  CHECK(response.body == nullptr);
  CHECK(response.etag == "\"tag\"");
  CHECK(ask(Method::get, "/a", {{"if-none-match", "\"other\""}}).status == 200);
}

TEST_CASE_FIXTURE(Fixture, "every response carries the security headers") {
  for (const auto& response : {ask(Method::get, "/a"), ask(Method::get, "/none"),
                               ask(Method::get, "/a", {{"host", "evil"}}),
                               dispatcher.refuse({400, "bad_request", "x"}, nullptr)}) {
    CHECK(header(response, "X-Content-Type-Options") == "nosniff");
    CHECK(header(response, "Content-Security-Policy").starts_with("default-src 'none'"));
    CHECK_FALSE(header(response, "Cache-Control").empty());
    CHECK(header(response, "Access-Control-Allow-Origin").empty());
  }
}

TEST_CASE_FIXTURE(Fixture, "hosts, types and names that are not there") {
  CHECK(ask(Method::get, "/a", {{"host", "evil.test"}}).status == 421);
  CHECK(ask(Method::get, "/a", {{"accept", "image/png"}}).status == 406);
  CHECK(ask(Method::get, "/aa").status == 404);
  CHECK(ask(Method::get, "/%").status == 400);
}
