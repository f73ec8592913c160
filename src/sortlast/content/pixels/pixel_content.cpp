// PixelContent.
#include "sortlast/content/pixels/pixel_content.hpp"

#include <utility>

namespace sortlast {

PixelContent::PixelContent(const IndexedProgram& program, Pool& pool, Team& team)
    : index_(program), values_(program, pool), passes_(program, values_, pool, team) {}

void PixelContent::begin_frame(const Contribution& contribution) {
  values_.begin_frame(contribution);
  passes_.begin_frame(contribution.image.size);
}

void PixelContent::end_frame() {
  values_.end_frame();
  passes_.end_frame();
}

void PixelContent::refer(std::size_t receive, Reference reference) {
  values_.refer(index_.program.receives[receive].value, std::move(reference));
}

Incoming PixelContent::incoming(Chunk chunk) {
  return values_.room_for(index_.program.receives[chunk.transfer].value, chunk.number).planes();
}

void PixelContent::arrived(Chunk chunk, const Arrived& arrival) {
  values_.arrived(index_.program.receives[chunk.transfer].value, chunk.number, arrival.bytes);
}

Outgoing PixelContent::outgoing(Chunk chunk) {
  const Send& step = index_.program.sends[chunk.transfer];
  return values_.encoded(step.value, index_.chunk_of(step.pixels, chunk.number)).message();
}

}  // namespace sortlast
