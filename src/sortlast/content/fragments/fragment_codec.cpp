// Fragment codec.
#include "sortlast/content/fragments/fragment_codec.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "sortlast/content/fragments/flatten.hpp"
#include "sortlast/content/fragments/fragment_lists.hpp"
#include "sortlast/content/fragments/fragment_order.hpp"
#include "sortlast/content/fragments/interval_blend.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// The lists of a string. Throws Error if it refers to fragments that cannot be read.
FragmentLists read_lists(StringCodec::String string, Range pixels, std::int32_t p,
                         const FragmentLayout& layout, const PeerSpans* peers, std::vector<CountRun>& runs) {
  const FragmentLists lists = read_fragments(string, pixels.size(), p, layout, runs);
  if (lists.refers()) {
    const std::size_t there = peers == nullptr ? 0 : published_fragments(*peers, lists.rank);
    if (lists.first > there || lists.size > there - lists.first)
      throw Error("a string of fragments is damaged: it refers to fragments that cannot be read");
  }
  return lists;
}

// Lists of the same pixels, in order, from several strings.
class Lists {
 public:
  Lists(std::span<const StringCodec::String> strings, Range pixels, std::int32_t p,
        const FragmentLayout& layout, const PeerSpans* peers, const Bytes::Take& take)
      : runs_(strings.size()) {
    for (std::size_t i = 0; i < strings.size(); ++i) {
      const FragmentLists lists = read_lists(strings[i], pixels, p, layout, peers, runs_[i]);
      if (!lists.refers()) {
        add(lists);
        continue;
      }
      feeds_.emplace_back(lists, peers, take);
      add(put_in_order(feeds_.back().next(static_cast<std::size_t>(pixels.size())),
                       rooms_.emplace_back(take)));
    }
  }

  // Add lists; their memory must stay valid.
  void add(const FragmentLists& lists) {
    if (lists.size > 0) all_.push_back(lists);
  }

  const std::vector<FragmentLists>& all() const { return all_; }

 private:
  std::vector<std::vector<CountRun>> runs_;
  std::deque<FragmentFeed> feeds_;
  std::deque<ListRoom> rooms_;
  std::vector<FragmentLists> all_;
};

// Lists of consecutive pixels, visited pixel by pixel.
class Inputs {
 public:
  Inputs(const Lists& lists, Range pixels, std::int32_t p)
      : p_(p), totals_(static_cast<std::size_t>(pixels.size()), 0) {
    for (const FragmentLists& each : lists.all()) {
      inputs_.push_back({each, {}, 0});
      size_ += each.size;
      for (const CountRun& run : each.runs)
        inputs_.back().counts.insert(inputs_.back().counts.end(), run.pixels, run.count);
      for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i] += inputs_.back().counts[i];
    }
  }

  std::size_t size() const { return size_; }  // number of fragments
  std::size_t pixels() const { return totals_.size(); }
  std::uint32_t count(std::size_t pixel) const { return totals_[pixel]; }

  // Visit the next pixel's fragments in order, until visit(place) returns false. Must be called for every
  // pixel that has any fragments, in turn.
  template <typename Visit>
  void visit(std::size_t pixel, const Visit& visit_place) {
    const std::uint32_t total = totals_[pixel];
    for (Input& input : inputs_) {
      if (input.counts[pixel] != total) continue;
      const std::size_t first = input.next;
      input.next += total;
      for (std::size_t i = first; i < first + total; ++i)
        if (!visit_place({input.lists.colour_at(i), input.lists.depth_of(i), input.lists.rank_of(i),
                          input.lists.extras_at(i)}))
          return;
      return;
    }
    order_.begin(total, p_);
    for (Input& input : inputs_) {
      const std::uint32_t count = input.counts[pixel];
      if (count > 0) order_.add(input.lists, input.next, count);
      input.next += count;
    }
    order_.visit(visit_place);
  }

 private:
  struct Input {
    FragmentLists lists;
    std::vector<std::uint32_t> counts;  // by pixel
    std::size_t next = 0;
  };

  std::int32_t p_;
  std::vector<Input> inputs_;
  std::vector<std::uint32_t> totals_;
  std::size_t size_ = 0;
  FragmentOrder order_;
};

}  // namespace

FragmentCodec::FragmentCodec(const OwnFragments& own, std::uint32_t rank, std::int32_t p,
                             const FragmentComposition& composition, std::optional<DepthLimits> limits,
                             std::unique_ptr<const PeerSpans> peers, Bytes::Take take)
    : own_(own),
      rank_(rank),
      p_(p),
      keep_lists_(composition.keep_lists),
      limits_(std::move(limits)),
      peers_(std::move(peers)),
      take_(std::move(take)) {
  if (!composition.background.empty())
    background_ = load_colour(reinterpret_cast<const std::byte*>(composition.background.data()));
}

void FragmentCodec::encode_own(Range pixels, Bytes& out) const {
  const bool early = limits_ && !keep_lists_ && scalar() == Scalar::float32 && layout().extra_bytes() == 0;
  own_.encode(pixels, early ? &*limits_ : nullptr, out);
}

void FragmentCodec::encode_for_mates(Range pixels, Bytes& out) const {
  if (layout().extra_bytes() == 0 && peers_ && published_fragments(*peers_, rank_) > 0) {
    own_.refer(pixels, out);
  } else {
    encode_own(pixels, out);
  }
}

void FragmentCodec::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  const Lists lists(strings, pixels, p_, layout(), peers_.get(), take_);
  Inputs inputs(lists, pixels, p_);
  FragmentWriter writer(out, inputs.size(), layout(), p_);
  const bool keeps_all = keep_lists_ || layout().intervals;
  for (std::size_t i = 0; i < inputs.pixels(); ++i) {
    if (inputs.count(i) > 0) {
      inputs.visit(i, [&](const FragmentOrder::Place& place) {
        const Colour colour = load_colour(place.colour, scalar());
        writer.add(colour, place.depth, place.rank, place.extras);
        return keeps_all || colour[3] != 1;
      });
    }
    writer.end_pixel();
  }
  writer.finish();
}

void FragmentCodec::cut(String string, Range from, Range pixels, Bytes& out) const {
  std::vector<CountRun> runs;
  FragmentFeed feed(read_lists(string, from, p_, layout(), peers_.get(), runs), peers_.get(), take_);
  const auto some = static_cast<std::size_t>(pixels.size());
  feed.skip(static_cast<std::size_t>(pixels.begin - from.begin));
  ListRoom room(take_);
  FragmentLists lists = feed.next(some);
  if (lists.ranks == nullptr) lists = put_in_order(lists, room);
  FragmentWriter writer = lists.ranks == nullptr ? FragmentWriter(out, lists.size, layout(), lists.rank)
                                                 : FragmentWriter(out, lists.size, layout(), p_);
  RunReader counts(lists.runs);
  writer.add_pixels(lists, 0, counts, some);
  writer.finish();
}

void FragmentCodec::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                           Bytes* joined) const {
  if (joined == nullptr && !layout().intervals) {
    const bool bytes = scalar() == Scalar::uint8;
    if (bytes ? flatten_lists<Scalar::uint8>(strings, own, pixels, out.colour)
              : flatten_lists<Scalar::float32>(strings, own, pixels, out.colour))
      return;
  }
  Lists lists(strings, pixels, p_, layout(), peers_.get(), take_);
  ListRoom room(take_);
  if (own) lists.add(own_.load(pixels, room));

  Inputs inputs(lists, pixels, p_);
  std::optional<FragmentWriter> writer;
  if (joined != nullptr) writer.emplace(*joined, inputs.size(), layout(), p_);
  IntervalBlend intervals;
  for (std::size_t i = 0; i < inputs.pixels(); ++i) {
    Flattening pixel;
    intervals.clear();
    if (inputs.count(i) > 0) {
      bool seen = true;
      inputs.visit(i, [&](const FragmentOrder::Place& place) {
        const Colour colour = load_colour(place.colour, scalar());
        if (layout().intervals) {
          intervals.add(colour, place.depth, load_back(place.extras));
        } else if (seen) {
          seen = pixel.add(colour, place.rank);
        }
        if (writer) writer->add(colour, place.depth, place.rank, place.extras);
        return seen || writer;
      });
    }
    Colour colour = layout().intervals ? intervals.colour() : pixel.colour();
    if (background_) colour = blend_over(colour, *background_);
    store_colour(colour, out.colour + i * colour_bytes(scalar()), scalar());
    if (writer) writer->end_pixel();
  }
  if (writer) writer->finish();
}

// Flatten lists of one rank each, in steps that keep fetched fragments in the cache. Returns false and does
// nothing if a list belongs to several ranks.
template <Scalar scalar_>
bool FragmentCodec::flatten_lists(std::span<const String> strings, bool own, Range pixels,
                                  std::byte* out) const {
  constexpr std::size_t at_once = 32768;  // approximate number of fragments
  std::vector<std::vector<CountRun>> runs(strings.size());
  std::deque<FragmentFeed> feeds;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const FragmentLists lists = read_lists(strings[i], pixels, p_, layout(), peers_.get(), runs[i]);
    if (lists.ranks != nullptr) return false;
    feeds.emplace_back(lists, peers_.get(), take_);
  }
  ListRoom room(take_);
  if (own) feeds.emplace_back(own_.list(pixels, room), nullptr, take_);

  std::size_t fragments = 0;
  for (const FragmentFeed& feed : feeds) fragments += feed.size();
  auto left = static_cast<std::size_t>(pixels.size());
  const std::size_t step = std::max<std::size_t>(64, left * at_once / std::max(fragments, at_once));
  Flattener<scalar_> flattener(background_ ? &*background_ : nullptr);
  std::vector<FragmentLists> lists;
  while (left > 0) {
    const std::size_t some = std::min(step, left);
    lists.clear();
    for (FragmentFeed& feed : feeds) lists.push_back(feed.next(some));
    flattener.write(lists, some, out);
    out += some * colour_bytes(scalar_);
    left -= some;
  }
  return true;
}

}  // namespace sortlast
