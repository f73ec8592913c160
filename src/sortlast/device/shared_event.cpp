// SharedEvent.
#include "sortlast/device/shared_event.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace sortlast::device {
namespace {

struct Idle {
  std::mutex mutex;
  std::map<int, std::vector<Event>> events;  // by GPU
};

// Never destroyed, because others may wait until the process ends.
Idle& idle() {
  static Idle* const made = new Idle;
  return *made;
}

Event take(const Context& context) {
  {
    const std::lock_guard lock(idle().mutex);
    std::vector<Event>& events = idle().events[context.ordinal()];
    if (!events.empty()) {
      Event event = events.back();
      events.pop_back();
      return event;
    }
  }
  return {context, Event::Use::between_processes};
}

}  // namespace

SharedEvent::SharedEvent(const Context& context) : gpu_(context.ordinal()), event_(take(context)) {}

SharedEvent::~SharedEvent() {
  const std::lock_guard lock(idle().mutex);
  idle().events[gpu_].push_back(event_);
}

}  // namespace sortlast::device
