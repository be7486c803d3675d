#include "api/gzip.hpp"

#include <zlib.h>

#include <stdexcept>

namespace lk {

namespace {

constexpr int kLevel = 5;
constexpr int kGzipWindow = 15 + 16;  // 16: gzip's frame, not zlib's
constexpr int kMemory = 8;

std::string packed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  // zlib's interface is older than const.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("zlib did not finish");
  out.shrink_to_fit();
  return out;
}

}  // namespace

GzipCache::Text GzipCache::find(const Text& plain) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(plain.get());
  // Another text may live where one that is gone did.
  return found != entries_.end() && found->second.plain.lock() == plain ? found->second.packed
                                                                        : nullptr;
}

GzipCache::Text GzipCache::make(const Text& plain) {
  if (auto known = find(plain)) return known;
  auto text = std::make_shared<const std::string>(packed(*plain));
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& each) { return each.second.plain.expired(); });
  entries_[plain.get()] = {plain, text};
  return text;
}

}  // namespace lk
