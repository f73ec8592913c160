// Fragment strings.
#include "sortlast/content/fragments/fragment_string.hpp"

#include <algorithm>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

struct Header {
  std::uint64_t fragments = 0;
  std::uint32_t rank = 0;        // of all fragments if rank_bytes
  std::uint32_t rank_bytes = 0;  // is 0 or `elsewhere`
};
constexpr std::uint32_t elsewhere = ~0U;  // the fragments lie in their rank's memory

[[noreturn]] void refuse(const char* what) {
  throw Error(std::string("a string of fragments is damaged: ") + what);
}

// Numbers of 7 bits per byte, the lowest first; the eighth bit is set if another byte follows.
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

// The counts of `pixels` pixels, which must add up to `fragments`.
void unpack_runs(NumberReader numbers, std::size_t pixels, std::uint64_t fragments,
                 std::vector<CountRun>& runs) {
  runs.clear();
  std::size_t at = 0;
  std::uint64_t left = fragments;
  while (at < pixels) {
    const std::uint64_t token = numbers.next();
    const std::uint64_t count = token >> 1U;
    const std::uint64_t run = (token & 1U) != 0 ? numbers.next() : 1;
    if (run > pixels - at || (count > 0 && run > left / count)) refuse("its counts do not fit its fragments");
    left -= run * count;
    if (run > 0) add_run(runs, static_cast<std::uint32_t>(count), run);
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
                             const FragmentLayout& layout, std::vector<CountRun>& runs) {
  Header header;
  if (string.size() < sizeof header) refuse("it is too short for its header");
  std::memcpy(&header, string.data(), sizeof header);
  const std::span<const std::byte> rest = string.subspan(sizeof header);
  const bool refers = header.rank_bytes == elsewhere;
  if (header.rank_bytes != 0 && header.rank_bytes != bytes_of_ranks(p) && !refers)
    refuse("it has an invalid header");
  if (refers && layout.extra_bytes() > 0) refuse("it refers to memory where not all of a fragment lies");
  if (header.rank >= static_cast<std::uint32_t>(p) || header.fragments == 0 || header.fragments > ~0U)
    refuse("it has an invalid header");
  const std::size_t each = layout.bytes() + header.rank_bytes;
  if (refers ? rest.size() < sizeof(std::uint64_t) : header.fragments > rest.size() / each)
    refuse("it is too short for its fragments");
  const std::size_t planes = refers ? sizeof(std::uint64_t) : header.fragments * each;
  unpack_runs(NumberReader(rest.subspan(planes)), static_cast<std::size_t>(pixels), header.fragments, runs);
  FragmentLists lists{runs};
  lists.rank = header.rank;
  lists.size = header.fragments;
  lists.scalar = layout.scalar;
  if (refers) {
    std::memcpy(&lists.first, rest.data(), sizeof lists.first);
    return lists;
  }
  lists.colour = rest.data();
  lists.depth = lists.colour + lists.size * colour_bytes(layout.scalar);
  lists.extras = lists.depth + lists.size * sizeof(float);
  lists.extra_bytes = layout.extra_bytes();
  lists.rank_bytes = header.rank_bytes;
  if (header.rank_bytes > 0) lists.ranks = lists.extras + lists.size * lists.extra_bytes;
  return lists;
}

void write_reference(const FragmentLists& lists, Bytes& out) {
  if (lists.size == 0) return;
  out.append_value(Header{lists.size, lists.rank, elsewhere});
  out.append_value(std::uint64_t{lists.first});
  CountPacker counts;
  for (const CountRun& run : lists.runs) counts.add(run.count, run.pixels);
  counts.finish(out);
}

// ---- Writing --------------------------------------------------------------------------------------

void CountPacker::put_number(std::uint64_t number) {
  for (; number >= 0x80U; number >>= 7U) packed_.push_back(static_cast<std::byte>(number | 0x80U));
  packed_.push_back(static_cast<std::byte>(number));
}

void CountPacker::end_run() {
  if (pixels_ > 1) {
    put_number(2 * count_ + 1);
    put_number(pixels_);
  } else if (pixels_ == 1) {
    put_number(2 * count_);
  }
  pixels_ = 0;
}

void CountPacker::finish(Bytes& out) {
  end_run();
  out.append(packed_);
}

FragmentWriter::FragmentWriter(Bytes& out, std::size_t most, const FragmentLayout& layout, std::uint32_t rank)
    : out_(out), start_(out.size()), scalar_(layout.scalar), extra_bytes_(layout.extra_bytes()), rank_(rank) {
  begin(most);
}

FragmentWriter::FragmentWriter(Bytes& out, std::size_t most, const FragmentLayout& layout, std::int32_t p)
    : out_(out),
      start_(out.size()),
      scalar_(layout.scalar),
      extra_bytes_(layout.extra_bytes()),
      rank_bytes_(bytes_of_ranks(p)) {
  begin(most);
}

void FragmentWriter::begin(std::size_t most) {
  most_ = most;
  const std::size_t each = colour_bytes(scalar_) + sizeof(float) + extra_bytes_ + rank_bytes_;
  colour_ = out_.grow(sizeof(Header) + most * each + sizeof(rank_)) + sizeof(Header);
  depth_ = colour_ + most * colour_bytes(scalar_);
  extras_ = depth_ + most * sizeof(float);
  ranks_ = extras_ + most * extra_bytes_;
}

std::size_t FragmentWriter::add_pixels(const FragmentLists& from, std::size_t first, RunReader& runs,
                                       std::size_t pixels) {
  const std::size_t before = size_;
  const std::size_t added =
      runs.pass_each(pixels, [this](std::uint32_t count, std::size_t some) { counts_.add(count, some); });
  size_ += added;
  pixel_begin_ = size_;
  if (added == 0) return 0;
  const std::size_t each = colour_bytes(scalar_);
  std::memcpy(colour_ + before * each, from.colour_at(first), added * each);
  std::memcpy(depth_ + before * sizeof(float), from.depth + first * sizeof(float), added * sizeof(float));
  if (extra_bytes_ > 0)
    std::memcpy(extras_ + before * extra_bytes_, from.extras_at(first), added * extra_bytes_);
  for (std::size_t i = 0; rank_bytes_ > 0 && i < added; ++i) {
    const std::uint32_t rank = from.rank_of(first + i);
    std::memcpy(ranks_ + (before + i) * rank_bytes_, &rank, sizeof rank);
  }
  return added;
}

void FragmentWriter::finish() {
  if (size_ == 0) {
    out_.shrink(start_);
    return;
  }
  const Header header{size_, rank_, rank_bytes_};
  std::memcpy(colour_ - sizeof header, &header, sizeof header);
  if (size_ < most_) {
    std::byte* const depth = colour_ + size_ * colour_bytes(scalar_);
    std::memmove(depth, depth_, size_ * sizeof(float));
    std::byte* const extras = depth + size_ * sizeof(float);
    std::memmove(extras, extras_, size_ * extra_bytes_);
    std::memmove(extras + size_ * extra_bytes_, ranks_, size_ * rank_bytes_);
  }
  const std::size_t each = colour_bytes(scalar_) + sizeof(float) + extra_bytes_ + rank_bytes_;
  out_.shrink(start_ + sizeof header + size_ * each);
  counts_.finish(out_);
}

}  // namespace sortlast
