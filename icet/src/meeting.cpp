// Meetings.
//
// A collective call fails on all ranks or on none as long as the ranks agree on it. A failure of one rank
// alone (out of memory, an exception of its callback, a timeout) ends the call there at once. The others
// receive the failure while they wait, and all make a new compositor in their next call.
//
// A rank that was late, or slow to draw, arrives at calls that the others have abandoned. It must not meet
// them in a later call, because its pictures would then always be one frame old. Therefore each rank counts
// the collective calls of its context, and ranks that have made a new compositor compare their counts. Ranks
// that are behind get an error for every call that the others have abandoned, and ranks that are ahead wait
// for them. (An earlier version treated all ranks as in step after every failure. That repairs a program in
// which one rank skips a frame, but mixes frames after a late rank, which is the usual case.)
#include "meeting.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "communicator.hpp"
#include "report.hpp"
#include "sortlast/error.hpp"

namespace sortlast::icet {
namespace {

// Thrown by a rank that arrives at a call that the others have abandoned; they already know.
class OutOfStep final : public Failure {
 public:
  OutOfStep(std::int64_t own, std::int64_t others)
      : Failure(ICET_SANITY_CHECK_FAIL,
                "the other ranks have given up this call, the collective call " + std::to_string(own) +
                    " of its context, and wait in call " + std::to_string(others) +
                    "; they go on when this rank comes there. If it left calls out, make a new context") {}
};

void make_compositor(IceTContextStruct& context) {
  Options options;
  context.limit = time_limit();
  options.timeout = context.limit;
  context.drawn.clear();
  context.cut.clear();
  context.compositor.emplace(mpi_of(context.communicator), options);
  context.alone = Access::on_one_machine(*context.compositor);
}

}  // namespace

double time_limit() {
  constexpr double usual = 600;
  const char* text = std::getenv("SORTLAST_ICET_TIMEOUT");
  if (text == nullptr) return usual;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*text != '\0' && *end == '\0' && seconds > 0) return seconds;
  raise_warning(ICET_INVALID_VALUE, std::string("SORTLAST_ICET_TIMEOUT=") + text +
                                        " in the environment; expected seconds above 0, and took 600");
  return usual;
}

void come_to_call(IceTContextStruct& context) {
  if (!context.compositor) {
    context.in_step = false;
    make_compositor(context);
  }
  while (!context.in_step) {
    const std::vector<std::int64_t> calls =
        values_of_all(*context.compositor, "the same frame", std::vector<std::int64_t>{context.calls});
    const auto [least, most] = std::minmax_element(calls.begin(), calls.end());
    context.in_step = *least == *most;
    if (context.calls < *most) throw OutOfStep(context.calls, *most);
  }
}

void leave_call(IceTContextStruct& context) noexcept {
  std::string cause;
  try {
    throw;
  } catch (const OutOfStep&) {
    return;
  } catch (const MismatchError&) {
    return;
  } catch (const ArgumentError&) {
    return;
  } catch (const UsageError&) {  // MPI is finalized: nothing has happened, and no rank can be notified
    return;
  } catch (const std::bad_alloc&) {
    cause = "out of memory";
  } catch (const std::exception& error) {
    cause = error.what();
  } catch (...) {
    cause = "the draw callback threw an exception";
  }
  if (context.compositor) Access::give_up(*context.compositor, cause);
  context.compositor.reset();
}

}  // namespace sortlast::icet
