// Streams, which execute copies and kernels in order, and events, which mark points in them.
#pragma once

#include <memory>

#include "sortlast/device/context.hpp"

namespace sortlast::device {

class Event;

class Stream {
 public:
  // A new stream, which does not wait for the default stream. Copies share it.
  explicit Stream(const Context& context);
  // The caller's stream, which must stay alive. As in CUDA, 0 and 1 are the default stream, and 2 is the one
  // of the thread.
  Stream(const Context& context, StreamHandle handle) : context_(context), handle_(handle, [](auto*) {}) {}

  const Context& context() const { return context_; }
  StreamHandle handle() const { return handle_.get(); }

  // Work added to the stream from now on begins after the event's last record so far; without one, at
  // once.
  void wait(const Event& event) const;
  // Return when all that was added is complete. Throws Error if some of it failed.
  void synchronize() const;

 private:
  Context context_;
  std::shared_ptr<OpaqueStream> handle_;
};

class Event {
 public:
  // For this process, or to be opened in others too. Copies share it.
  enum class Use { here, between_processes };
  Event(const Context& context, Use use);
  // The event of another process, given its handle(). Throws Error in the process that made it.
  static Event open(const Context& context, const IpcHandle& handle);

  EventHandle handle() const { return handle_.get(); }
  // What other processes open; only of an event for use between processes.
  IpcHandle ipc_handle() const;

  // Mark this point of the stream. Other processes see a record only after this call, so notify them then.
  void record(const Stream& stream) const;
  // Whether all that precedes the last record is complete.
  bool done() const;
  void synchronize() const;

 private:
  Event(const Context& context, EventHandle handle);

  Context context_;
  std::shared_ptr<OpaqueEvent> handle_;
};

}  // namespace sortlast::device
