#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "probes/reader.hpp"

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "reader") return lk::reader_main(0, 1);
  lk::Reader reader(lk::self_executable());
  lk::ReaderRequest request;
  if (argc > 3) request.root = argv[3];
  const auto inventory = reader.read(request);
  if (!inventory) {
    std::fprintf(stderr, "lanekeeper: %s\n", inventory.error().message().c_str());
    return 2;
  }
  std::puts(lk::inventory_json(*inventory, 2).c_str());
  return 0;
}
