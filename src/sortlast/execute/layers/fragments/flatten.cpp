// Flatten.
#include "sortlast/execute/layers/fragments/flatten.hpp"

#include <algorithm>

#include "sortlast/execute/layers/fragments/count_runs.hpp"

namespace sortlast {

Flattener::Flattener(std::span<const FragmentLists> lists, std::int32_t p) : p_(p) {
  for (const FragmentLists& each : lists)
    if (each.size > 0) inputs_.push_back({each, 0, 0});
  std::sort(inputs_.begin(), inputs_.end(),
            [](const Input& a, const Input& b) { return a.lists.rank < b.lists.rank; });
}

void Flattener::write(std::size_t pixels, const Colour* background, std::byte* out) {
  const auto put = [&](Colour colour) {
    if (background != nullptr) colour = blend_over(colour, *background);
    store_colour(colour, out);
    out += colour_bytes;
  };
  for (std::size_t pixel = 0; pixel < pixels;) {
    const std::size_t end = end_of_run(pixel, pixels);
    const std::size_t run = end - pixel;
    list_slots(pixel);
    if (slots_.empty()) {
      for (std::size_t i = 0; i < run; ++i) put(Colour{});
    } else if (slots_.size() == 1) {
      const Slot& slot = slots_.front();
      for (std::size_t i = 0; i < run; ++i) put(blend_over(Colour{}, slot.colour_of(i)));
    } else {
      Group colours;
      for (std::size_t i = 0; i < run;) {
        std::size_t done = 1;
        if (run - i >= group && group_in_order() && flatten_group(colours)) {
          done = group;
          for (const Colour& colour : colours) put(colour);
        } else {
          if (!in_order()) put_in_order(pixel, i);
          put(flattened());
        }
        for (Slot& slot : slots_) slot.advance(done);
        i += done;
      }
    }
    for (Input& input : inputs_) input.next += run * input.lists.counts[pixel];
    pixel = end;
  }
}

// The end of the pixels, from this one on, in which each list has as many fragments as in this one.
std::size_t Flattener::end_of_run(std::size_t pixel, std::size_t pixels) {
  std::size_t end = pixels;
  for (Input& input : inputs_) {
    if (input.run_end <= pixel) input.run_end = end_of_equal_counts(input.lists.counts, pixel);
    end = std::min(end, input.run_end);
  }
  return end;
}

void Flattener::list_slots(std::size_t pixel) {
  listed_.clear();
  for (const Input& input : inputs_) {
    const FragmentLists& lists = input.lists;
    const std::uint32_t count = lists.counts[pixel];
    for (std::size_t i = input.next; i < input.next + count; ++i)
      listed_.push_back({lists.colour + i * colour_bytes, lists.depth + i * sizeof(float), count,
                         static_cast<std::uint32_t>(listed_.size()), lists.rank});
  }
  slots_ = listed_;
}

bool Flattener::in_order() const {
  bool ordered = true;
  std::uint64_t before = 0;
  for (const Slot& slot : slots_) {
    const std::uint64_t key = std::uint64_t{depth_key(slot.depth_of(0))} << 32U | slot.place;
    ordered &= before <= key;
    before = key;
  }
  return ordered;
}

// Whether the slots are in order in this pixel and those after it. Says no if a depth is NaN.
bool Flattener::group_in_order() const {
  const auto depths_of = [](const Slot& slot) {
    return Colour{slot.depth_of(0), slot.depth_of(1), slot.depth_of(2), slot.depth_of(3)};
  };
  Colour before = depths_of(slots_.front());
  std::uint32_t place = slots_.front().place;
  auto ordered = before == before;
  for (std::size_t i = 1; i < slots_.size(); ++i) {
    const Colour depth = depths_of(slots_[i]);
    ordered &= slots_[i].place > place ? before <= depth : before < depth;
    before = depth;
    place = slots_[i].place;
  }
  return (ordered[0] & ordered[1] & ordered[2] & ordered[3]) != 0;
}

// In the pixel that comes so many after the first of the run, `pixel`.
void Flattener::put_in_order(std::size_t pixel, std::size_t passed) {
  order_.begin(listed_.size(), inputs_.size(), p_);
  for (const Input& input : inputs_) {
    const std::uint32_t count = input.lists.counts[pixel];
    if (count > 0) order_.add(input.lists, input.next + passed * count, count);
  }
  std::size_t to = 0;
  order_.visit_numbers([&](std::size_t number) {
    slots_[to] = listed_[number];
    slots_[to++].advance(passed);
  });
}

Colour Flattener::flattened() const {
  Flattening pixel;
  for (const Slot& slot : slots_)
    if (!pixel.add(slot.colour_of(0), slot.rank)) break;
  return pixel.colour();
}

// As flattened(), of this pixel and those after it. False if a list ends early, at an alpha of 1.
bool Flattener::flatten_group(Group& colours) const {
  Group all{};
  Group run;
  for (std::size_t k = 0; k < group; ++k) run[k] = slots_.front().colour_of(k);
  std::uint32_t rank = slots_.front().rank;
  auto ends = run[0] == 1;
  for (std::size_t k = 1; k < group; ++k) ends |= run[k] == 1;
  for (std::size_t i = 1; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.rank == rank) {
      for (std::size_t k = 0; k < group; ++k) run[k] = blend_over(run[k], slot.colour_of(k));
    } else {
      for (std::size_t k = 0; k < group; ++k) {
        all[k] = blend_over(all[k], run[k]);
        run[k] = slot.colour_of(k);
      }
      rank = slot.rank;
    }
    for (std::size_t k = 0; k < group; ++k) ends |= run[k] == 1;
  }
  if (ends[3] != 0) return false;
  for (std::size_t k = 0; k < group; ++k) colours[k] = blend_over(all[k], run[k]);
  return true;
}

}  // namespace sortlast
