// LIDs that a topology or a dump knows, and LIDs for vertices that have none: the lowest that are free,
// aligned for an adapter port with several.
#include "sortlast/fabric/lids.hpp"

#include <algorithm>
#include <set>

#include "sortlast/fabric/write.hpp"

namespace sortlast::fabric {

Lids::Lids(const Topology& topology)
    : lids_(static_cast<std::size_t>(topology.vertices())), known_(lids_.size()) {
  name_guids(topology);
  for (Vertex v = 0; v < topology.vertices(); ++v) {
    const bool host = topology.is_host(v);
    const std::int32_t first = host ? topology.host(v).lid : topology.switch_at(topology.switch_of(v)).lid;
    const std::int32_t count = host ? std::int32_t{1} << std::clamp(topology.host(v).lmc, 0, 7) : 1;
    const auto at = static_cast<std::size_t>(v);
    known_[at] = first > 0;
    complete_ = complete_ && first > 0;
    for (std::int32_t plane = 0; first > 0 && plane < count; ++plane) {
      lids_[at].push_back(first + plane);
      targets_.emplace(first + plane, Target{v, plane});
    }
  }
}

// GUIDs that are known come first; then those that ibsim and simple adapters give their ports.
void Lids::name_guids(const Topology& topology) {
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).port_guid != 0) guids_.emplace(topology.host(h).port_guid, h);
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    guids_.emplace(topology.switch_at(s).guid, topology.vertex_of_switch(s));
  }
  for (const bool counted : {true, false}) {
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      const Host& host = topology.host(h);
      if (host.port_guid != 0) continue;
      guids_.emplace(host.guid + (counted ? static_cast<std::uint64_t>(host.port) : 0), h);
    }
  }
}

void Lids::learn(std::int32_t lid, std::uint64_t port_guid) {
  const Vertex v = find_guid(port_guid);
  if (v < 0 || known_[static_cast<std::size_t>(v)]) return;
  auto& own = lids_[static_cast<std::size_t>(v)];
  const auto at = std::lower_bound(own.begin(), own.end(), lid);
  constexpr std::size_t most_planes = 128;
  if ((at != own.end() && *at == lid) || own.size() == most_planes) return;
  own.insert(at, lid);
  for (std::size_t plane = 0; plane < own.size(); ++plane) {
    targets_[own[plane]] = {v, static_cast<std::int32_t>(plane)};
  }
}

Lids::Target Lids::find(std::int32_t lid) const {
  const auto found = targets_.find(lid);
  return found == targets_.end() ? Target{} : found->second;
}

Vertex Lids::find_guid(std::uint64_t port_guid) const {
  const auto found = guids_.find(port_guid);
  return found == guids_.end() ? -1 : found->second;
}

std::int32_t Lids::planes() const {
  std::size_t most = 1;
  for (const auto& own : lids_) most = std::max(most, own.size());
  return static_cast<std::int32_t>(most);
}

namespace {

// The LIDs that are taken, and the next that may be free.
class Pool {
 public:
  void take(std::int32_t lid, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i) taken_.insert(lid + i);
  }

  // The first of `count` free ones, a multiple of it.
  std::int32_t give(std::int32_t count) {
    std::int32_t lid = (next_ + count - 1) / count * count;
    while (!free(lid, count)) lid += count;
    take(lid, count);
    while (taken_.contains(next_)) ++next_;
    return lid;
  }

 private:
  bool free(std::int32_t lid, std::int32_t count) const {
    const auto at = taken_.lower_bound(lid);
    return at == taken_.end() || *at >= lid + count;
  }

  std::set<std::int32_t> taken_;
  std::int32_t next_ = 1;
};

}  // namespace

Topology assign_lids(const Topology& topology) {
  const auto count = [](const Host& host) { return std::int32_t{1} << host.lmc; };
  Pool pool;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (topology.host(h).lid > 0) pool.take(topology.host(h).lid, count(topology.host(h)));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (topology.switch_at(s).lid > 0) pool.take(topology.switch_at(s).lid, 1);
  }

  TopologyBuilder builder(topology.name());
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    Host host = topology.host(h);
    if (host.lid <= 0) host.lid = pool.give(count(host));
    builder.add_host(std::move(host));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    Switch on = topology.switch_at(s);
    if (on.lid <= 0) on.lid = pool.give(1);
    builder.add_switch(std::move(on), topology.level(s));
  }

  // Lay every cable again, from one of its ends.
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const End& to = topology.attachment(h);
    builder.connect_host(h, topology.switch_of(to.vertex), to.port,
                         topology.gbps(topology.channel_of_host(h)));
  }
  for (Channel c = topology.hosts(); c < topology.channels(); ++c) {
    const End& to = topology.target(c);
    if (!to.connected() || topology.is_host(to.vertex) || topology.reverse(c) < c) continue;
    const End from = topology.source(c);
    builder.connect(topology.switch_of(from.vertex), from.port, topology.switch_of(to.vertex), to.port,
                    topology.gbps(c));
  }
  builder.set_shape(topology.shape());
  return std::move(builder).finish();
}

}  // namespace sortlast::fabric
