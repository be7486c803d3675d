// The waivers of an Engine: which there are, which hold now.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <random>

#include "base/json_write.hpp"
#include "base/moment.hpp"
#include "service/engine.hpp"

namespace lk {

namespace {

bool is_in(const std::vector<Waiver>& waivers, const std::string& id) {
  return std::any_of(waivers.begin(), waivers.end(),
                     [&](const Waiver& each) { return each.id == id; });
}

std::vector<Waiver> only(const std::vector<Waiver>& waivers, WaiverSource source) {
  std::vector<Waiver> out;
  std::copy_if(waivers.begin(), waivers.end(), std::back_inserter(out),
               [&](const Waiver& each) { return each.source == source; });
  return out;
}

std::string new_id(const std::vector<Waiver>& known) {
  std::random_device random;
  for (;;) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "api-%08x", static_cast<unsigned>(random()));
    if (!is_in(known, text.data())) return text.data();
  }
}

std::vector<WaiverChange> changes(const std::vector<Waiver>& before,
                                  const std::vector<Waiver>& now) {
  std::vector<WaiverChange> out;
  for (const auto& each : before) {
    if (!is_in(now, each.id)) out.push_back({WaiverTurn::removed, each});
  }
  for (const auto& each : now) {
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const Waiver& other) { return other.id == each.id; });
    if (old == before.end()) {
      out.push_back({WaiverTurn::added, each});
    } else if (each.expired && !old->expired) {
      out.push_back({WaiverTurn::expired, each});
    }
  }
  return out;
}

}  // namespace

// With waiving_ held, or before anybody else has the engine.
void Engine::take_waivers(std::vector<Waiver> all, std::int64_t now, bool tell) {
  auto holding = std::make_shared<std::vector<Waiver>>();
  for (auto& each : all) {
    each.expired = each.expires_at <= now;
    if (!each.expired) holding->push_back(each);
  }
  const auto next = std::make_shared<const std::vector<Waiver>>(std::move(all));
  std::vector<WaiverChange> turns;
  {
    const std::lock_guard lock(mutex_);
    turns = changes(*waivers_, *next);
    waivers_ = next;
    if (*holding_ == *holding) {
      holding.reset();
    } else {
      holding_ = holding;
      audits_.clear();
      ++audits_epoch_;
    }
  }
  // Metrics and the default audit say it before the event does.
  if (holding) static_cast<void>(audit(config().profile));
  if (!tell) return;
  for (const auto& each : turns) events_.add("waiver", to_json(each));
}

Engine::Waivers Engine::waivers() const {
  const std::lock_guard lock(mutex_);
  return waivers_;
}

Engine::Waivers Engine::holding() const {
  const std::lock_guard lock(mutex_);
  return holding_;
}

void Engine::on_waivers(std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  waivers_changed_ = std::move(changed);
}

void Engine::tell_waivers_changed() const {
  std::function<void()> changed;
  {
    const std::lock_guard lock(mutex_);
    changed = waivers_changed_;
  }
  if (changed) changed();
}

void Engine::configure_waivers(const std::vector<Waiver>& configured) {
  {
    const std::lock_guard one_at_a_time(waiving_);
    auto all = configured;
    for (auto& each : only(*waivers(), WaiverSource::api)) {
      if (!is_in(all, each.id)) all.push_back(std::move(each));
    }
    take_waivers(std::move(all), now_seconds(), true);
  }
  tell_waivers_changed();
}

Status Engine::load_waivers(const History& from) {
  const auto kept = from.waivers(config().root);
  if (!kept) return kept.error();
  {
    const std::lock_guard one_at_a_time(waiving_);
    auto all = only(*waivers(), WaiverSource::config);
    for (const auto& each : *kept) {
      if (!is_in(all, each.id)) all.push_back(each);
    }
    take_waivers(std::move(all), now_seconds(), false);
  }
  tell_waivers_changed();
  return ok_status();
}

Result<Waiver> Engine::add_waiver(Waiver waiver) {
  {
    const std::lock_guard one_at_a_time(waiving_);
    auto all = *waivers();
    if (only(all, WaiverSource::api).size() >= kMostWaivers) {
      return Error{"there are " + std::to_string(kMostWaivers) + " waivers already", {}, EDQUOT};
    }
    const auto store = history();
    if (!store) return Error{"there is no state directory to keep waivers in", {}, ENOENT};
    waiver.id = new_id(all);
    waiver.source = WaiverSource::api;
    if (auto status = store->add_waiver(config().root, waiver); !status) return status.error();
    all.push_back(waiver);
    take_waivers(std::move(all), now_seconds(), true);
  }
  tell_waivers_changed();
  return waiver;
}

Status Engine::remove_waiver(const std::string& id) {
  {
    const std::lock_guard one_at_a_time(waiving_);
    auto all = *waivers();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Waiver& each) { return each.id == id; });
    if (found == all.end()) return Error{"there is no waiver \"" + id + "\"", {}, ENOENT};
    if (found->source == WaiverSource::config) {
      return Error{"waiver \"" + id + "\" is in the configuration, " + found->origin, {}, EPERM};
    }
    const auto store = history();
    if (!store) return Error{"there is no state directory to keep waivers in", {}, EIO};
    // Gone from the file already: then it is to go from here, too.
    auto status = store->remove_waiver(config().root, id);
    if (!status && status.error().err != ENOENT) return status;
    all.erase(found);
    take_waivers(std::move(all), now_seconds(), true);
  }
  tell_waivers_changed();
  return ok_status();
}

std::optional<std::int64_t> Engine::end_waivers(std::int64_t now) {
  const std::lock_guard one_at_a_time(waiving_);
  take_waivers(*waivers(), now, true);
  std::optional<std::int64_t> next;
  for (const auto& each : *holding())
    next = std::min(next.value_or(each.expires_at), each.expires_at);
  return next;
}

}  // namespace lk
