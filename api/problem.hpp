// Errors over HTTP: RFC 9457 application/problem+json with a stable `code`.
#pragma once

#include <span>

#include "api/http_types.hpp"
#include "base/fields.hpp"

namespace lk {

// What exactly is wrong, where one sentence is not enough.
struct ProblemItem {
  std::optional<std::string> pointer;
  std::optional<std::string> parameter;
  std::string detail;

  static constexpr std::string_view kSchema = "ProblemItem";
  template <class Self = ProblemItem>
  static constexpr auto fields() {
    return std::tuple{
        field("pointer", &Self::pointer, "JSON pointer into the request's body"),
        field("parameter", &Self::parameter, "the query parameter"),
        field("detail", &Self::detail, "what is wrong with it"),
    };
  }
};

struct ProblemDetails {
  std::string type;
  std::string title;
  std::int64_t status = 0;
  std::string code;
  std::string detail;
  std::vector<ProblemItem> errors;
  std::string request_id;

  static constexpr std::string_view kSchema = "ProblemDetails";
  template <class Self = ProblemDetails>
  static constexpr auto fields() {
    return std::tuple{
        field("type", &Self::type, "/problems/<code>, where this server explains it"),
        field("title", &Self::title, "what the code means"),
        field("status", &Self::status, "the HTTP status"),
        field("code", &Self::code, "stable; what programs should look at"),
        field("detail", &Self::detail, "what happened this time, for people"),
        field("errors", &Self::errors, "the parts that are wrong; often empty"),
        field("request_id", &Self::request_id, "names this request in the server's log"),
    };
  }
};

struct ProblemKind {
  std::string_view code;
  int status;
  std::string_view title;
  std::string_view advice;  // what a client should do
};

// Every code that this server uses, sorted.
std::span<const ProblemKind> problem_kinds();
const ProblemKind* find_problem_kind(std::string_view code);

constexpr std::string_view kProblemType = "application/problem+json";

// `code` is one of problem_kinds().
Response problem(const Request& request, std::string_view code, std::string detail,
                 std::vector<ProblemItem> errors = {});

}  // namespace lk
