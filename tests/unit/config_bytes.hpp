// Configuration space of a made-up PCI Express function.
#pragma once

#include <cstddef>
#include <string>

namespace lk::test {

struct Express {
  unsigned aspm = 0;          // LNKCTL 1:0
  unsigned target = 4;        // LNKCTL2 3:0
  unsigned payload = 0;       // DEVCTL 7:5
  unsigned read_request = 2;  // DEVCTL 14:12
  unsigned kind = 0;          // type of function or port
  std::size_t size = 256;
};

// The capability stands at 0x70, behind one of power management at 0x40.
inline std::string config_space(const Express& express) {
  std::string bytes(256, '\0');
  const auto put = [&](std::size_t at, unsigned value) {
    bytes[at] = static_cast<char>(value & 0xFFU);
    bytes[at + 1] = static_cast<char>(value >> 8U & 0xFFU);
  };
  put(0x00, 0x1234);
  put(0x06, 0x0010);
  put(0x34, 0x40);
  put(0x40, 0x7001);
  put(0x70, 0x0010);
  put(0x72, express.kind << 4U | 2);
  put(0x74, 0x0002);
  put(0x78, express.payload << 5U | express.read_request << 12U);
  put(0x7C, 0x0C44);
  put(0x80, 0x0040 | express.aspm);
  put(0x82, 0x0043);
  put(0xA0, express.target);
  bytes.resize(express.size);
  return bytes;
}

}  // namespace lk::test
