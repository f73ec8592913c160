// Meetings: how the ranks of a context come to a collective call together, and how they leave one that fails.
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

// Seconds that a rank waits for another: SORTLAST_ICET_TIMEOUT, or 600; a warning for what is no time.
double time_limit();

// Come to a collective call of the context, which was counted, with all other ranks and a compositor for it.
// Throws; a rank whose call the others have given up, a Failure at once.
void come_to_call(IceTContextStruct& context);

// In a catch block: unless all ranks throw it alike, tell the others of it, and give the compositor up.
// Messages may be under way in it for ever; the next call makes another one.
void leave_call(IceTContextStruct& context) noexcept;

// Run a collective call: `action` of the context's compositor, which says by context.agreed that all ranks
// have come to this very call. What any rank throws alone ends it on all. If a rank's call before failed only
// after this rank's had ended, this is heard now, and the call begins anew.
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

// The values of all ranks, as many of each, rank by rank; in a collective call to which all have come.
template <typename Value>
std::vector<Value> values_of_all(Compositor& compositor, const char* call, const std::vector<Value>& own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::vector<std::byte> bytes = Access::all_gather(compositor, call, std::as_bytes(std::span(own)));
  std::vector<Value> all(bytes.size() / sizeof(Value));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace sortlast::icet
