// How much one client may ask: the address of a TCP client, the user of one on a Unix socket.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "api/http_types.hpp"

namespace lk {

struct ClientRates {
  double requests_per_s = 0;  // all requests; 0: no bound
  double work_per_s = 0;      // those whose answer must be made (Response::later); 0: no bound
};

// "uid 1000", "127.0.0.1".
std::string client_of(const Peer& peer);

// Each client may save up what it does not ask for one second. For the event loop's thread alone.
class ClientLimits {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ClientLimits(ClientRates rates) : rates_(rates) {}

  // False if it must wait.
  bool may_ask(const Peer& peer, Time now);
  bool may_work(const Peer& peer, Time now);
  std::size_t clients() const { return buckets_.size(); }  // that are remembered

 private:
  struct Bucket {
    double requests = 0;
    double work = 0;
    Time at;  // when both were counted
  };

  Bucket& bucket_of(const Peer& peer, Time now);
  void forget_idle(Time now);

  ClientRates rates_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace lk
