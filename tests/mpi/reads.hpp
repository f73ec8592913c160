// What the kernel does with reads of other processes' memory: as it is, or as on another machine.
#pragma once

#include <cstddef>

namespace sortlast::testing {

// Forbidden: as by default on many machines. Short ones: no more than most_bytes a call.
enum class Reads { as_they_are, forbidden, short_ones };
inline constexpr std::size_t most_bytes = 1000;

// From here on in this process.
void set_reads(Reads which);

// The same, until the object is gone.
class With {
 public:
  explicit With(Reads which) { set_reads(which); }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
  ~With() { set_reads(Reads::as_they_are); }
};

}  // namespace sortlast::testing
