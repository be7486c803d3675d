#include "base/json_read.hpp"
#include "base/json_write.hpp"
#include "probes/inventory.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace lk;

// Strict decoding takes nothing that is no JSON, and what it takes comes back the same.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text(data, size);
  const auto inventory = inventory_from_json(text);
  const auto nvme = from_json<Nvme>(text);
  if (inventory || nvme) fuzz::must(Json::accept(text), "what is decoded is JSON");
  if (inventory) {
    const auto json = inventory_json(*inventory);
    const auto again = inventory_from_json(json);
    fuzz::must(again.ok() && inventory_json(*again) == json, "an inventory comes back the same");
  } else {
    fuzz::must(!inventory.error().message().empty(), "a refusal says why");
  }
  return 0;
}
