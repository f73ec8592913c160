#include "sortlast/fabric/contention/path_walker.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

void PathRows::resize(std::size_t rows) {
  cells_.resize(rows * stride_);
  lengths_.assign(rows, 0);
}

void PathRows::widen() {
  const std::size_t wider = 2 * stride_;
  std::vector<Channel> cells(rows() * wider);
  for (std::size_t r = 0; r < rows(); ++r) {
    const auto from = row(r);
    std::copy(from.begin(), from.end(), cells.begin() + static_cast<std::ptrdiff_t>(r * wider));
  }
  cells_ = std::move(cells);
  stride_ = wider;
}

PathWalker::PathWalker(const Routes& routes)
    : routes_(routes), forwarding_(*routes_.forwarding), planes_(forwarding_.planes()) {
  const Topology& topology = *routes_.topology;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const End& end = topology.attachment(h);
    switch_of_host_.push_back(topology.switch_of(end.vertex));
    ejection_.push_back(topology.channel(switch_of_host_.back(), end.port));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) first_channel_.push_back(topology.channel(s, 1));
  first_channel_.push_back(topology.channels());
  next_switch_.reserve(static_cast<std::size_t>(topology.channels()));
  for (Channel c = 0; c < topology.channels(); ++c) {
    const Vertex to = topology.target(c).vertex;
    next_switch_.push_back(to < topology.hosts() ? -1 : topology.switch_of(to));
  }
}

void PathWalker::walk_on(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const {
  const Channel last = ejection(destination);
  const std::int32_t plane = planes_ == 1 ? 0 : forwarding_.plane(source, destination);
  const auto switches = static_cast<std::int32_t>(first_channel_.size()) - 1;
  std::int32_t s = switch_of_host(source);
  for (std::int32_t hops = 0; hops < switches; ++hops) {
    const std::int32_t port = forwarding_.port(s, destination, plane);
    const Channel c = first_channel_[static_cast<std::size_t>(s)] + port - 1;
    if (port < 1 || c >= first_channel_[static_cast<std::size_t>(s) + 1]) break;
    if (c == last) return;
    s = next_switch_[static_cast<std::size_t>(c)];
    if (s < 0) break;
    rows.append(r, c);
  }
  walk(routes_, source, destination);
  throw Error("routes of " + routes_.engine + " changed while they were read");
}

void PathWalker::walk_inner(std::int32_t source, std::int32_t destination, PathRows& rows,
                            std::size_t r) const {
  rows.clear(r);
  walk_on(source, destination, rows, r);
}

void PathWalker::walk_whole(std::int32_t source, std::int32_t destination, PathRows& rows,
                            std::size_t r) const {
  rows.clear(r);
  if (source == destination) return;
  rows.append(r, routes_.topology->channel_of_host(source));
  walk_on(source, destination, rows, r);
  rows.append(r, ejection(destination));
}

}  // namespace sortlast::fabric
