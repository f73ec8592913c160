// Control.
//
// One process makes the objects, by placement new, before any other learns of the segment. The language knows
// no objects of other processes; that bytes which are mapped twice hold the same ones is what every system
// with shared memory promises for lock-free atomics and trivially copyable types, of which all here consists.
// std::launder tells the compiler to take the bytes for objects that it did not see being made.
#include "sortlast/execute/node/control.hpp"

#include <memory>
#include <new>

namespace sortlast {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);
static_assert(std::is_trivially_destructible_v<Control> && std::is_trivially_destructible_v<Seat>);

Control& Control::make(const Segment& segment, std::size_t processes) {
  auto* const seats = reinterpret_cast<Seat*>(segment.data() + sizeof(Control));
  std::uninitialized_value_construct_n(seats, processes);
  return *new (segment.data()) Control;
}

Control& Control::in(const Segment& segment) {
  return *std::launder(reinterpret_cast<Control*>(segment.data()));
}

Seat& Control::seat(std::size_t process) {
  return *std::launder(reinterpret_cast<Seat*>(reinterpret_cast<std::byte*>(this) + sizeof(Control)) +
                       process);
}

}  // namespace sortlast
