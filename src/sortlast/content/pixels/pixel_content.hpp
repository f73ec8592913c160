// PixelContent: executes one rank's program on dense pixels. Values hold the pixels, and passes blend them,
// several merges in one sweep over memory where possible.
#pragma once

#include <functional>
#include <optional>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/passes.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/content/pixels/values.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

class PixelContent final : public Content {
 public:
  // All arguments must outlive it.
  PixelContent(const IndexedProgram& program, Pool& pool, Team& team);

  // Start a frame. The contribution must stay valid until end_frame(). Allocates nothing from the second
  // frame on.
  void begin_frame(const Contribution& contribution);
  // Read program.receives[receive] in place.
  void refer(std::size_t receive, Reference reference);

  bool ready(Value value, Range pixels) const override { return values_.ready(value, pixels); }
  bool offer(std::size_t merge) override {
    passes_.offer(merge);
    return false;
  }
  Incoming incoming(Chunk chunk) override;
  void arrived(Chunk chunk, const Arrived& arrival) override;
  Outgoing outgoing(Chunk chunk) override;
  std::int64_t use_up(Value value, Range pixels) override { return values_.use_up(value, pixels); }
  void release(Value value) override { values_.release(value); }

  // Blends up to `unit` pixels per thread.
  static constexpr std::int64_t unit = Passes::unit;
  std::optional<Work> work(const std::function<void(Value, Range)>& used_up) override {
    return passes_.blend(used_up);
  }
  bool merged() const override { return passes_.done(); }
  PixelBuffer take_result() override { return values_.take_result(); }
  void end_frame() override;

 private:
  const IndexedProgram& index_;
  Values values_;
  Passes passes_;
};

}  // namespace sortlast
