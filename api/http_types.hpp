// Requests and responses as handlers see them: plain values, without the library that parses and
// sends them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lk {

struct Route;

// `other` is any token that is no method of RFC 9110.
enum class Method { get, head, post, put, patch, delete_, options, trace, connect, other };

// "GET"; "OTHER" for Method::other, so that metrics cannot grow without bound.
std::string_view method_name(Method method);
Method method_from(std::string_view token);

// Who is at the other end. A Unix socket says whose process connected; TCP says nothing.
struct Peer {
  bool local = false;  // a Unix socket
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::vector<std::uint32_t> groups;  // beside `gid`
  std::optional<std::int32_t> pid;
  std::uint16_t port = 0;   // the listener's own TCP port; 0 on a Unix socket
  std::string address;      // of the client, for the log
  bool over_limit = false;  // its client has as many connections as it may have
};

struct Header {
  std::string name;  // lower case
  std::string value;
};

struct Request {
  Method method = Method::other;
  std::string target;           // as received, origin form: "/v1/knobs?x=y"
  int version = 11;             // 10 or 11
  std::vector<Header> headers;  // of the head only; trailers are dropped
  std::string body;
  Peer peer;
  std::string id;  // for the log and for problems

  // Filled by the dispatcher.
  std::string path;                                           // percent-encoded, without query
  std::vector<std::pair<std::string, std::string>> query;     // decoded, in order
  std::map<std::string, std::string, std::less<>> arguments;  // path parameters, decoded
  const Route* route = nullptr;

  // The first header of that (lower case) name; null if there is none.
  const std::string* header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  const std::string* parameter(std::string_view name) const;  // of the query
};

// Text without an end, for as long as its client listens. Used on the server's thread alone.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // What is to be sent now; empty: nothing yet. Asked again after each text that was sent, and when
  // HttpServer::wake_streams() says so.
  virtual std::string next() = 0;
  // Sent where nothing else was for a while, so that both sides notice that the other is gone.
  virtual std::string_view heartbeat() const = 0;
};

struct Response {
  int status = 200;
  std::string content_type;  // empty: no body
  std::shared_ptr<const std::string> body;
  std::string etag;  // with quotes; empty: none
  std::vector<Header> headers;
  bool close = false;              // end the connection after it
  std::shared_ptr<Stream> stream;  // what follows `body`, which then has no length
  // If set, nothing else is: the response is still to be made, by this, on a thread that may take
  // its time. It must touch nothing that belongs to the event loop.
  std::function<Response(const Request&)> later;

  std::size_t size() const { return body ? body->size() : 0; }
};

Response text_response(int status, std::string content_type, std::string body);

// Why bytes never became a request, or why one is refused before its body is read.
struct Refusal {
  int status = 400;
  std::string code;    // stable, lower snake case: "bad_request"
  std::string detail;  // one sentence for people
};

// Whether a request may go on once its head is read, and how long its body may be.
struct Admission {
  std::optional<Response> refusal;
  std::size_t body_limit = 0;
};

// A request and its response, over and done.
struct Exchanged {
  const Request* request = nullptr;  // null where the bytes never became one
  const Peer& peer;
  int status = 0;
  std::size_t bytes = 0;  // of the response, as they went out: head and body
  double seconds = 0;     // from the end of the request's head to the last byte of the response
};

// What the HTTP core asks of the program above it. All calls come from the thread that runs the
// server, and none may block; what takes time is left to Response::later.
class HttpApp {
 public:
  HttpApp() = default;
  HttpApp(const HttpApp&) = delete;
  HttpApp& operator=(const HttpApp&) = delete;
  virtual ~HttpApp() = default;

  // The head is complete and well framed; no octet of the body has been read.
  virtual Admission admit(Request& request) = 0;
  virtual Response handle(const Request& request) = 0;
  virtual Response refuse(const Refusal& refusal, const Request* request) = 0;
  // The response is sent, or the client went away while it was.
  virtual void finished(const Exchanged& exchanged) = 0;
  virtual void log(const std::string& line) = 0;
};

// The text before a response's body, with the empty line. No Content-Length for 1xx, 204 and 304;
// HEAD answers carry the length that GET would have.
std::string response_head(const Response& response, bool keep_alive, std::int64_t unix_time);
std::string_view status_text(int status);

}  // namespace lk
