// LIDs for vertices that have none: the lowest that are free, aligned for an adapter port with several.
#include <set>

#include "sortlast/fabric/write.hpp"

namespace sortlast::fabric {

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
