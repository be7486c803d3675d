#include "probes/interrupts.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace lk;

// However the file is cut into pieces, the lines are the same.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text(data, size);
  const auto whole = parse_interrupts(text);
  InterruptsParser parser;
  for (std::size_t at = 0; at < text.size(); at += 1 + at % 7) {
    parser.feed(text.substr(at, 1 + at % 7));
  }
  const auto pieces = parser.finish();
  fuzz::must(pieces.size() == whole.size(), "as many lines");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    fuzz::must(whole[i].irq == pieces[i].irq && whole[i].chip == pieces[i].chip &&
                   whole[i].actions == pieces[i].actions && whole[i].fired == pieces[i].fired,
               "the same line");
    if (const auto vector = msi_vector(whole[i])) {
      fuzz::must(vector->address.size() == 12, "a PCI address");
    }
  }
  return 0;
}
