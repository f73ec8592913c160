// Control.
//
// One process constructs the objects by placement new, before any other knows the segment. C++ does not
// define objects of other processes. Every system with shared memory, however, guarantees that memory mapped
// twice holds the same lock-free atomics and trivially copyable values, and everything here consists of
// these. std::launder tells the compiler that the bytes hold objects, although it did not see them being
// constructed.
#include "sortlast/execute/node/control.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

#include "sortlast/version.hpp"

namespace sortlast {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);
static_assert(std::is_standard_layout_v<Control> && std::is_standard_layout_v<RankSlot>);
static_assert(std::is_trivially_destructible_v<Control> && std::is_trivially_destructible_v<RankSlot>);

std::uint64_t control_layout() {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
  for (const char c : std::string_view(SORTLAST_VERSION)) add(static_cast<unsigned char>(c));
  for (const std::size_t bytes :
       {sizeof(Control), sizeof(RankSlot), sizeof(OfferRecord), sizeof(SpanRecord), sizeof(PublicationRecord),
        sizeof(Decision), sizeof(FrameSlots), sizeof(Roll), sizeof(Barrier), sizeof(EventCount),
        offsetof(Control, confirmation), offsetof(Control, decisions), offsetof(Control, frames),
        offsetof(Control, roll), offsetof(RankSlot, process), offsetof(RankSlot, unread)})
    add(bytes);
  return hash;
}

Control& Control::make(const Segment& segment, std::size_t processes, std::uint64_t layout) {
  auto* const slots = reinterpret_cast<RankSlot*>(segment.data() + sizeof(Control));
  std::uninitialized_value_construct_n(slots, processes);
  Control& control = *new (segment.data()) Control;
  control.layout = layout;
  return control;
}

Control& Control::in(const Segment& segment) {
  return *std::launder(reinterpret_cast<Control*>(segment.data()));
}

RankSlot& Control::slot(std::size_t process) {
  return *std::launder(reinterpret_cast<RankSlot*>(reinterpret_cast<std::byte*>(this) + sizeof(Control)) +
                       process);
}

}  // namespace sortlast
