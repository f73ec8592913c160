// Collected images: the images of boxes of all ranks, brought to one of them as they are.
#pragma once

#include <memory>
#include <span>

#include "sortlast/execute/layers/images/box_table.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/run/peer_spans.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// Collective: bring the images of all ranks, which the table lists and every rank knows, to `root`. `own`:
// this rank's, as the table counts them; they are sent from where they lie. Returns those of the others at
// the root, as box_list.hpp counts their planes, and nothing elsewhere. Throws TimeoutError: then messages
// may still be under way, and the images and the communicator must stay.
std::unique_ptr<const PeerSpans> collect_images(const BoxTable& table, const Format& format, int root,
                                                std::span<const ConstPixels> own,
                                                const FrameContext& context);

}  // namespace sortlast
