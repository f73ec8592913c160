// Fragment strings.
#include "sortlast/execute/layers/fragments/fragment_string.hpp"

#include <algorithm>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/layers/fragments/count_runs.hpp"

namespace sortlast {
namespace {

struct Head {
  std::uint64_t fragments = 0;
  std::uint32_t rank = 0;        // of all, if
  std::uint32_t rank_bytes = 0;  // is 0
};

[[noreturn]] void refuse(const char* what) {
  throw Error(std::string("a string of fragments is damaged: ") + what);
}

// Numbers of 7 bits a byte, the lowest first; the eighth bit tells that another byte follows.
class NumberReader {
 public:
  explicit NumberReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  std::uint64_t next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 63 && !bytes_.empty(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(bytes_.front());
      bytes_ = bytes_.subspan(1);
      number |= (byte & 0x7fU) << shift;
      if (byte < 0x80U) return number;
    }
    refuse("a number has no end");
  }

 private:
  std::span<const std::byte> bytes_;
};

// The counts of so many pixels, which add up to `fragments`.
void unpack_counts(NumberReader numbers, std::size_t pixels, std::uint64_t fragments,
                   std::vector<std::uint32_t>& counts) {
  counts.resize(pixels);
  std::size_t at = 0;
  std::uint64_t left = fragments;
  while (at < pixels) {
    const std::uint64_t token = numbers.next();
    const std::uint64_t count = token >> 1U;
    const std::uint64_t run = (token & 1U) != 0 ? numbers.next() : 1;
    if (run > pixels - at || (count > 0 && run > left / count)) refuse("its counts do not fit its fragments");
    left -= run * count;
    std::fill_n(counts.begin() + static_cast<std::ptrdiff_t>(at), run, static_cast<std::uint32_t>(count));
    at += run;
  }
  if (left > 0 || !numbers.at_end()) refuse("its counts do not fit its fragments");
}

std::uint32_t bytes_of_ranks(std::int32_t p) {
  if (p <= 1 << 8) return 1;
  return p <= 1 << 16 ? 2 : 4;
}

}  // namespace

FragmentLists read_fragments(std::span<const std::byte> string, std::int64_t pixels, std::int32_t p,
                             std::vector<std::uint32_t>& counts) {
  Head head;
  if (string.size() < sizeof head) refuse("it is too short for its head");
  std::memcpy(&head, string.data(), sizeof head);
  if (head.rank_bytes != 0 && head.rank_bytes != bytes_of_ranks(p)) refuse("its head is none");
  if (head.rank >= static_cast<std::uint32_t>(p)) refuse("its head is none");
  const std::span<const std::byte> planes = string.subspan(sizeof head);
  const std::size_t each = fragment_bytes + head.rank_bytes;
  if (head.fragments > planes.size() / each || head.fragments > ~0U)
    refuse("it is too short for its fragments");
  unpack_counts(NumberReader(planes.subspan(head.fragments * each)), static_cast<std::size_t>(pixels),
                head.fragments, counts);
  const std::byte* const depth = planes.data() + head.fragments * colour_bytes;
  const std::byte* const ranks = depth + head.fragments * sizeof(float);
  return {counts,          planes.data(), depth,         head.rank_bytes > 0 ? ranks : nullptr,
          head.rank_bytes, head.rank,     head.fragments};
}

FragmentWriter::FragmentWriter(Bytes& out, std::size_t most, std::uint32_t rank)
    : out_(out), start_(out.size()), rank_(rank) {
  begin(most);
}

FragmentWriter::FragmentWriter(Bytes& out, std::size_t most, std::int32_t p)
    : out_(out), start_(out.size()), rank_bytes_(bytes_of_ranks(p)) {
  begin(most);
}

void FragmentWriter::begin(std::size_t most) {
  most_ = most;
  colour_ = out_.grow(sizeof(Head) + most * (fragment_bytes + rank_bytes_) + sizeof(rank_)) + sizeof(Head);
  depth_ = colour_ + most * colour_bytes;
  ranks_ = depth_ + most * sizeof(float);
}

void FragmentWriter::put_number(std::uint64_t number) {
  for (; number >= 0x80U; number >>= 7U) counts_.push_back(static_cast<std::byte>(number | 0x80U));
  counts_.push_back(static_cast<std::byte>(number));
}

void FragmentWriter::end_run() {
  if (run_pixels_ > 1) {
    put_number(2 * run_count_ + 1);
    put_number(run_pixels_);
  } else if (run_pixels_ == 1) {
    put_number(2 * run_count_);
  }
  run_pixels_ = 0;
}

void FragmentWriter::add_pixels(const FragmentLists& from, std::size_t first,
                                std::span<const std::uint32_t> counts) {
  const std::size_t before = size_;
  for (std::size_t pixel = 0; pixel < counts.size();) {
    const std::size_t end = end_of_equal_counts(counts, pixel);
    size_ += (end - pixel) * counts[pixel];
    end_pixels(counts[pixel], end - pixel);
    pixel = end;
  }
  pixel_begin_ = size_;
  const std::size_t added = size_ - before;
  if (added == 0) return;
  std::memcpy(colour_ + before * colour_bytes, from.colour + first * colour_bytes, added * colour_bytes);
  std::memcpy(depth_ + before * sizeof(float), from.depth + first * sizeof(float), added * sizeof(float));
  if (rank_bytes_ == 0) return;
  for (std::size_t i = 0; i < added; ++i) {
    const std::uint32_t rank = from.rank_of(first + i);
    std::memcpy(ranks_ + (before + i) * rank_bytes_, &rank, sizeof rank);
  }
}

void FragmentWriter::finish() {
  if (size_ == 0) {
    out_.shrink(start_);
    return;
  }
  end_run();
  const Head head{size_, rank_, rank_bytes_};
  std::memcpy(colour_ - sizeof head, &head, sizeof head);
  if (size_ < most_) {
    std::byte* const depth = colour_ + size_ * colour_bytes;
    std::memmove(depth, depth_, size_ * sizeof(float));
    std::memmove(depth + size_ * sizeof(float), ranks_, size_ * rank_bytes_);
  }
  out_.shrink(start_ + sizeof head + size_ * (fragment_bytes + rank_bytes_));
  out_.append(counts_);
}

}  // namespace sortlast
