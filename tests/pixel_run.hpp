// One rank's program at work on dense pixels, without an executor.
#pragma once

#include <utility>

#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/execute/engine/engine.hpp"

namespace sortlast::testing {

struct PixelRun {
  PixelRun(const IndexedProgram& program, Pool& pool, Team& team)
      : content(program, pool, team), engine(program, content) {}

  void begin_frame(const Contribution& contribution) {
    content.begin_frame(contribution);
    engine.begin_frame();
  }
  void refer(std::size_t receive, Reference reference) {
    content.refer(receive, std::move(reference));
    engine.in_place(receive);
  }

  PixelContent content;
  Engine engine;
};

}  // namespace sortlast::testing
