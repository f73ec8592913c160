// Streams and events.
#include "sortlast/device/stream.hpp"

namespace sortlast::device {

Stream::Stream(const Context& context) : context_(context) {
  const Context::Scope scope(context);
  StreamHandle made = nullptr;
  check(driver().cuStreamCreate(&made, stream_non_blocking), "cuStreamCreate", context.label());
  handle_ = {made,
             [context](StreamHandle stream) { context.release([=] { driver().cuStreamDestroy(stream); }); }};
}

void Stream::wait(const Event& event) const {
  const Context::Scope scope(context_);
  check(driver().cuStreamWaitEvent(handle(), event.handle(), 0), "cuStreamWaitEvent", context_.label());
}

void Stream::synchronize() const {
  const Context::Scope scope(context_);
  check(driver().cuStreamSynchronize(handle()), "cuStreamSynchronize", context_.label());
}

Event::Event(const Context& context, EventHandle handle)
    : context_(context), handle_(handle, [context](EventHandle event) {
        context.release([=] { driver().cuEventDestroy(event); });
      }) {}

namespace {

EventHandle make_event(const Context& context, Event::Use use) {
  const Context::Scope scope(context);
  EventHandle made = nullptr;
  const unsigned flags =
      event_disable_timing | (use == Event::Use::between_processes ? event_interprocess : 0);
  check(driver().cuEventCreate(&made, flags), "cuEventCreate", context.label());
  return made;
}

}  // namespace

Event::Event(const Context& context, Use use) : Event(context, make_event(context, use)) {}

Event Event::open(const Context& context, const IpcHandle& handle) {
  const Context::Scope scope(context);
  EventHandle opened = nullptr;
  check(driver().cuIpcOpenEventHandle(&opened, handle), "cuIpcOpenEventHandle", context.label());
  return {context, opened};
}

IpcHandle Event::ipc_handle() const {
  const Context::Scope scope(context_);
  IpcHandle made;
  check(driver().cuIpcGetEventHandle(&made, handle()), "cuIpcGetEventHandle", context_.label());
  return made;
}

void Event::record(const Stream& stream) const {
  const Context::Scope scope(context_);
  check(driver().cuEventRecord(handle(), stream.handle()), "cuEventRecord", context_.label());
}

bool Event::done() const {
  const Context::Scope scope(context_);
  const int result = driver().cuEventQuery(handle());
  if (result == error_not_ready) return false;
  check(result, "cuEventQuery", context_.label());
  return true;
}

void Event::synchronize() const {
  const Context::Scope scope(context_);
  check(driver().cuEventSynchronize(handle()), "cuEventSynchronize", context_.label());
}

}  // namespace sortlast::device
