// Meetings: how the ranks of a context enter a collective call together, and leave one that fails.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "context.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast::icet {

using Access = detail::CompositorAccess;

// Timeout for other ranks in seconds: SORTLAST_ICET_TIMEOUT, or 600. Invalid values give a warning.
double time_limit();

// Enter a collective call of the context, which has been counted, together with all other ranks, and with a
// compositor. Throws on failure; a rank at a call that the others have abandoned throws a Failure at once.
void come_to_call(IceTContextStruct& context);

// Notify the other ranks of the exception, unless all throw the same one, and drop the compositor. Must be
// called from a catch block. Messages may remain in flight in it permanently; the next call makes another
// one.
void leave_call(IceTContextStruct& context) noexcept;

// Run a collective call: `action` on the context's compositor, which sets context.agreed once all ranks have
// arrived at this very call. An exception on one rank ends the call on all. If a rank's previous call failed
// only after this rank had left it, the failure is received now, and the call is repeated.
template <typename Action>
void in_meeting(IceTContextStruct& context, const Action& action) {
  ++context.calls;
  for (bool again = true; again;) {
    again = false;
    context.agreed = false;
    try {
      come_to_call(context);
      action(*context.compositor);
    } catch (const RemoteError&) {
      leave_call(context);
      if (context.agreed || context.heard == context.calls) throw;
      context.heard = context.calls;
      again = true;
    } catch (...) {
      leave_call(context);
      throw;
    }
  }
}

// The values of all ranks, equally many per rank, rank by rank. Used in a collective call that all ranks have
// entered.
template <typename Value>
std::vector<Value> values_of_all(Compositor& compositor, const char* call, const std::vector<Value>& own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::vector<std::byte> bytes = Access::all_gather(compositor, call, std::as_bytes(std::span(own)));
  std::vector<Value> all(bytes.size() / sizeof(Value));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace sortlast::icet
