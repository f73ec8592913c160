// Fragment content.
#include "sortlast/execute/layers/fragments/fragment_content.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sortlast/execute/layers/fragments/flatten.hpp"

namespace sortlast {
namespace {

// Lists of the same pixels from several strings.
class Lists {
 public:
  Lists(std::span<const LayerContent::String> strings, Range pixels, std::int32_t p)
      : counts_(strings.size()) {
    for (std::size_t i = 0; i < strings.size(); ++i)
      add(read_fragments(strings[i], pixels.size(), p, counts_[i]));
  }

  // And others, whose memory must stay.
  void add(const FragmentLists& lists) {
    if (lists.size > 0) all_.push_back(lists);
  }

  const std::vector<FragmentLists>& all() const { return all_; }
  bool of_one_rank_each() const {
    return std::all_of(all_.begin(), all_.end(),
                       [](const FragmentLists& lists) { return lists.ranks == nullptr; });
  }

 private:
  std::vector<std::vector<std::uint32_t>> counts_;
  std::vector<FragmentLists> all_;
};

// Lists of so many pixels, gone through pixel by pixel.
class Inputs {
 public:
  Inputs(const Lists& lists, Range pixels, std::int32_t p)
      : p_(p), totals_(static_cast<std::size_t>(pixels.size()), 0) {
    for (const FragmentLists& each : lists.all()) {
      inputs_.push_back({each, 0});
      size_ += each.size;
      for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += each.counts[i];
    }
  }

  std::size_t size() const { return size_; }  // fragments
  std::size_t pixels() const { return totals_.size(); }
  std::uint32_t count(std::size_t pixel) const { return totals_[pixel]; }

  // Visit the next pixel's fragments in order, until visit(place) is false. Of all pixels that have any, in
  // turn.
  template <typename Visit>
  void visit(std::size_t pixel, const Visit& visit_place) {
    const std::uint32_t total = totals_[pixel];
    for (Input& input : inputs_) {
      if (input.lists.counts[pixel] != total) continue;
      const std::size_t first = input.next;
      input.next += total;
      for (std::size_t i = first; i < first + total; ++i)
        if (!visit_place({input.lists.colour + i * colour_bytes,
                          load_depth(input.lists.depth + i * sizeof(float)), input.lists.rank_of(i)}))
          return;
      return;
    }
    order_.begin(total, inputs_.size(), p_);
    for (Input& input : inputs_) {
      const std::uint32_t count = input.lists.counts[pixel];
      if (count > 0) order_.add(input.lists, input.next, count);
      input.next += count;
    }
    order_.visit(visit_place);
  }

 private:
  struct Input {
    FragmentLists lists;
    std::size_t next = 0;
  };

  std::int32_t p_;
  std::vector<Input> inputs_;
  std::vector<std::uint32_t> totals_;
  std::size_t size_ = 0;
  FragmentOrder order_;
};

}  // namespace

FragmentContent::FragmentContent(const OwnFragments& own, std::uint32_t rank, std::int32_t p,
                                 const FragmentComposition& composition, std::optional<DepthLimits> limits)
    : own_(own),
      rank_(rank),
      p_(p),
      background_(composition.background),
      keep_lists_(composition.keep_lists),
      limits_(std::move(limits)) {}

void FragmentContent::encode_own(Range pixels, Bytes& out) const {
  own_.encode(pixels, limits_ && !keep_lists_ ? &*limits_ : nullptr, out);
}

void FragmentContent::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  const Lists lists(strings, pixels, p_);
  Inputs inputs(lists, pixels, p_);
  FragmentWriter writer(out, inputs.size(), p_);
  for (std::size_t i = 0; i < inputs.pixels(); ++i) {
    if (inputs.count(i) > 0) {
      inputs.visit(i, [&](const FragmentOrder::Place& place) {
        const Colour colour = load_colour(place.colour);
        writer.add(colour, place.depth, place.rank);
        return keep_lists_ || colour[3] != 1;
      });
    }
    writer.end_pixel();
  }
  writer.finish();
}

void FragmentContent::cut(String string, Range from, Range pixels, Bytes& out) const {
  std::vector<std::uint32_t> counts;
  const FragmentLists lists = read_fragments(string, from.size(), p_, counts);
  const auto begin = static_cast<std::size_t>(pixels.begin - from.begin);
  const std::span<const std::uint32_t> some =
      lists.counts.subspan(begin, static_cast<std::size_t>(pixels.size()));
  const auto sum = [](std::span<const std::uint32_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
  };
  const std::size_t size = sum(some);
  FragmentWriter writer =
      lists.ranks == nullptr ? FragmentWriter(out, size, lists.rank) : FragmentWriter(out, size, p_);
  writer.add_pixels(lists, sum(lists.counts.first(begin)), some);
  writer.finish();
}

void FragmentContent::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                             Bytes* joined) const {
  Lists lists(strings, pixels, p_);
  OwnFragments::Room room;
  if (own) lists.add(own_.load(pixels, room));
  Colour background = {};
  if (!background_.empty()) background = load_colour(reinterpret_cast<const std::byte*>(background_.data()));
  if (joined == nullptr && lists.of_one_rank_each()) {
    Flattener(lists.all(), p_)
        .write(static_cast<std::size_t>(pixels.size()), background_.empty() ? nullptr : &background,
               out.colour);
    return;
  }

  Inputs inputs(lists, pixels, p_);
  std::optional<FragmentWriter> writer;
  if (joined != nullptr) writer.emplace(*joined, inputs.size(), p_);
  for (std::size_t i = 0; i < inputs.pixels(); ++i) {
    Flattening pixel;
    if (inputs.count(i) > 0) {
      bool seen = true;
      inputs.visit(i, [&](const FragmentOrder::Place& place) {
        const Colour colour = load_colour(place.colour);
        if (seen) seen = pixel.add(colour, place.rank);
        if (writer) writer->add(colour, place.depth, place.rank);
        return seen || writer;
      });
    }
    Colour colour = pixel.colour();
    if (!background_.empty()) colour = blend_over(colour, background);
    store_colour(colour, out.colour + i * colour_bytes);
    if (writer) writer->end_pixel();
  }
  if (writer) writer->finish();
}

}  // namespace sortlast
