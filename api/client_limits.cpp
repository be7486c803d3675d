#include "api/client_limits.hpp"

#include <algorithm>

namespace lk {

namespace {

constexpr std::size_t kMostClients = 1024;

bool take_one(double rate, double& tokens) {
  if (rate <= 0) return true;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

// A rate below one a second still lets one through.
double fill(double rate) {
  return std::max(rate, 1.0);
}

}  // namespace

std::string client_of(const Peer& peer) {
  if (!peer.local) return peer.address;
  return peer.uid ? "uid " + std::to_string(*peer.uid) : "unknown user";
}

bool ClientLimits::may_ask(const Peer& peer, Time now) {
  if (rates_.requests_per_s <= 0) return true;
  return take_one(rates_.requests_per_s, bucket_of(peer, now).requests);
}

bool ClientLimits::may_work(const Peer& peer, Time now) {
  if (rates_.work_per_s <= 0) return true;
  return take_one(rates_.work_per_s, bucket_of(peer, now).work);
}

ClientLimits::Bucket& ClientLimits::bucket_of(const Peer& peer, Time now) {
  if (buckets_.size() >= kMostClients) forget_idle(now);
  const Bucket full{fill(rates_.requests_per_s), fill(rates_.work_per_s), now};
  auto& bucket = buckets_.try_emplace(client_of(peer), full).first->second;
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  bucket.requests = std::min(full.requests, bucket.requests + seconds * rates_.requests_per_s);
  bucket.work = std::min(full.work, bucket.work + seconds * rates_.work_per_s);
  bucket.at = now;
  return bucket;
}

// After a second of silence a bucket is full, as a new one is.
void ClientLimits::forget_idle(Time now) {
  std::erase_if(buckets_,
                [&](const auto& each) { return now - each.second.at > std::chrono::seconds(1); });
}

}  // namespace lk
