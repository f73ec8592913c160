// Flatten.
#include "sortlast/content/fragments/flatten.hpp"

#include <algorithm>
#include <cstring>

namespace sortlast {

template <Scalar scalar>
void Flattener<scalar>::write(std::span<const FragmentLists> lists, std::size_t pixels, std::byte* out) {
  inputs_.clear();
  for (const FragmentLists& each : lists)
    if (each.size > 0) inputs_.push_back({each, RunReader(each.runs), 0, 0, 0});
  std::sort(inputs_.begin(), inputs_.end(),
            [](const Input& a, const Input& b) { return a.lists.rank < b.lists.rank; });
  slots_.clear();
  while (pixels > 0) {
    std::size_t run = pixels;
    for (const Input& input : inputs_) run = std::min(run, input.runs.left());
    list_slots();
    write_run(run, out);
    for (Input& input : inputs_) {
      input.next += run * input.runs.count();
      input.runs.pass(run);
    }
    out += run * colour_bytes(scalar);
    pixels -= run;
  }
}

// Slots for the current pixel of all inputs: in the order of the previous slots as far as the lists have
// fragments for them, then the others.
template <Scalar scalar>
void Flattener<scalar>::list_slots() {
  std::uint32_t place = 0;
  for (Input& input : inputs_) {
    input.place = place;
    place += input.runs.count();
  }
  put_in_order(0);
}

template <Scalar scalar>
void Flattener<scalar>::add_slot(std::uint32_t number, std::size_t passed) {
  Input& input = inputs_[number];
  const std::uint32_t count = input.runs.count();
  const std::size_t fragment = input.next + passed * count + input.taken;
  const std::uint32_t place = input.place + input.taken++;
  const std::byte* const depth = input.lists.depth + fragment * sizeof(float);
  slot_of_[place] = static_cast<std::uint32_t>(slots_.size());
  keys_.add(std::uint64_t{depth_key(load_depth(depth))} << 32U | place);
  slots_.push_back({input.lists.colour + fragment * colour_bytes(scalar), depth, count, place, number, true});
}

// The slots of the pixel that follows `passed` pixels after the first of the run.
template <Scalar scalar>
void Flattener<scalar>::put_in_order(std::size_t passed) {
  before_.swap(slots_);
  slots_.clear();
  std::size_t fragments = 0;
  for (Input& input : inputs_) {
    input.taken = 0;
    fragments += input.runs.count();
  }
  if (fragments == 0) return;
  if (slot_of_.size() < fragments) slot_of_.resize(fragments);
  keys_.begin(fragments);
  for (const Slot& slot : before_)
    if (inputs_[slot.input].taken < inputs_[slot.input].runs.count()) add_slot(slot.input, passed);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i)
    while (inputs_[i].taken < inputs_[i].runs.count()) add_slot(i, passed);

  if (!keys_.in_order()) {
    before_.swap(slots_);
    slots_.clear();
    for (const std::uint64_t key : keys_.merged()) slots_.push_back(before_[slot_of_[key & 0xffffffffU]]);
  }
  settle_order();
}

// Write pixels with the same counts, as given by the slots.
template <Scalar scalar>
void Flattener<scalar>::write_run(std::size_t pixels, std::byte* out) {
  if (slots_.empty() && background_ == nullptr) {
    std::memset(out, 0, pixels * colour_bytes(scalar));
    return;
  }
  if (slots_.size() == 1 && scalar == Scalar::uint8 && background_ == nullptr) {
    std::memcpy(out, slots_.front().colour, pixels * colour_bytes(scalar));  // nothing to blend
    return;
  }
  if (slots_.size() < 2) {
    const Colour none = {};
    for (std::size_t i = 0; i < pixels; ++i)
      put(slots_.empty() ? none : blend_over(none, slots_.front().colour_of(static_cast<std::ptrdiff_t>(i))),
          out + i * colour_bytes(scalar));
    return;
  }
  std::size_t one_by_one = 0;  // pixels left to blend singly, as the order did not hold for a group
  Group colours;
  for (std::size_t i = 0; i < pixels;) {
    // The last group begins early enough to be complete.
    const std::size_t again = pixels - i < group ? group - (pixels - i) : 0;
    if (one_by_one == 0 && again <= i) {
      if (again > 0) advance(-static_cast<std::ptrdiff_t>(again));
      if (flatten_group(colours)) {
        for (std::size_t k = again; k < group; ++k)
          put(colours[k], out + (i - again + k) * colour_bytes(scalar));
        i += group - again;
        if (i < pixels) advance(static_cast<std::ptrdiff_t>(group));
        continue;
      }
      if (again > 0) advance(static_cast<std::ptrdiff_t>(again));
      one_by_one = group;
    }
    if (i > 0 && !in_order()) put_in_order(i);
    put(flattened(), out + i * colour_bytes(scalar));
    if (++i < pixels) advance(1);
    if (one_by_one > 0) --one_by_one;
  }
}

template <Scalar scalar>
void Flattener<scalar>::advance(std::ptrdiff_t pixels) {
  for (Slot& slot : slots_) slot.advance(pixels);
}

template <Scalar scalar>
bool Flattener<scalar>::in_order() const {
  bool ordered = true;
  std::uint64_t before = 0;
  for (const Slot& slot : slots_) {
    const std::uint64_t key = std::uint64_t{depth_key(slot.depth_of(0))} << 32U | slot.place;
    ordered &= before <= key;
    before = key;
  }
  return ordered;
}

// Derive for each slot what the order implies about it and the slot in front.
template <Scalar scalar>
void Flattener<scalar>::settle_order() {
  taking_turns_ = true;
  for (std::size_t i = 1; i < slots_.size(); ++i) {
    slots_[i].may_tie = slots_[i].place > slots_[i - 1].place;
    if (slots_[i].input == slots_[i - 1].input) taking_turns_ = false;
  }
}

template <Scalar scalar>
Colour Flattener<scalar>::flattened() const {
  Flattening pixel;
  for (const Slot& slot : slots_)
    if (!pixel.add(slot.colour_of(0), slot.input)) break;
  return pixel.colour();
}

template <Scalar scalar>
bool Flattener<scalar>::flatten_group(Group& colours) const {
  return taking_turns_ ? flatten_group_as<true>(colours) : flatten_group_as<false>(colours);
}

// As flattened(), for this pixel and the following ones. Returns false, with undefined colours, if the slots
// are not in order in all of them, a depth is NaN, or a list may end early at an alpha of 1.
template <Scalar scalar>
template <bool taking_turns>
bool Flattener<scalar>::flatten_group_as(Group& colours) const {
  const auto depths_of = [](const Slot& slot) {
    if (slot.step == 1) return load_colour(slot.depth);
    return Colour{slot.depth_of(0), slot.depth_of(1), slot.depth_of(2), slot.depth_of(3)};
  };
  const auto larger = [](const Colour& a, const Colour& b) { return a > b ? a : b; };
  const Slot* slot = slots_.data();
  const Slot* const end = slot + slots_.size();
  Colour before = depths_of(*slot);
  auto ordered = before == before;
  Group all{};
  Group run;
  Colour most = {};  // maximum alpha of the runs
  for (std::size_t k = 0; k < group; ++k) {
    run[k] = slot->colour_of(static_cast<std::ptrdiff_t>(k));
    most = larger(run[k], most);
  }
  while (++slot != end) {
    const Colour depth = depths_of(*slot);
    ordered &= slot->may_tie ? before <= depth : before < depth;
    before = depth;
    const bool same_rank = !taking_turns && slot->input == slot[-1].input;
    for (std::size_t k = 0; k < group; ++k) {
      const Colour colour = slot->colour_of(static_cast<std::ptrdiff_t>(k));
      if (same_rank) {
        run[k] = blend_over(run[k], colour);
      } else {
        all[k] = blend_over(all[k], run[k]);
        run[k] = colour;
      }
      most = larger(run[k], most);
    }
  }
  for (std::size_t k = 0; k < group; ++k) colours[k] = blend_over(all[k], run[k]);
  return (ordered[0] & ordered[1] & ordered[2] & ordered[3]) != 0 && !(most[3] >= 1);
}

template class Flattener<Scalar::float32>;
template class Flattener<Scalar::uint8>;

}  // namespace sortlast
