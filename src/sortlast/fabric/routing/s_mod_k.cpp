// S-mod-K: the source's number chooses the up-ports. The mirror of D-mod-K: the path from a to b is that of
// D-mod-K from b to a, backwards.
//
// Problem. Rodriguez et al. ("Oblivious Routing Schemes in Extended Generalized Fat Tree Networks", 2009)
// compare both: S-mod-K concentrates what a host sends on its own way up, and flows to one host come down
// many ways. But InfiniBand forwards by destination. It knows no sources: all that S-mod-K can do there is to
// give every host several LIDs, one for each choice of up-ports, and let the source take the LID that is its
// own.
//
// Model. A plane is such a choice: planes are numbered by the source, modulo the least number after which the
// up-ports of all levels repeat, lcm over l of (W_l w_{l+1} p_{l+1}). LMC can hold 128 of them. The 12-ary
// 2-tree needs 12, and is feasible; the 12-ary 3-tree needs 144, which is not; 11,664 hosts on 36-port
// switches need 324. Here planes cost nothing, so that the comparison can be made anyway.
#include <algorithm>
#include <memory>
#include <numeric>
#include <variant>

#include "sortlast/fabric/routing/d_mod_k.hpp"
#include "sortlast/fabric/routing/engine.hpp"

namespace sortlast::fabric {

namespace {

// Number of sources after which all choices repeat; at most the number of hosts.
std::int32_t period(const TreeShape& shape, std::int32_t hosts) {
  std::int64_t tops = 1, result = 1;
  for (std::size_t l = 0; l < shape.w.size(); ++l) {
    const std::int64_t choices = tops * shape.w[l] * shape.p[l];
    result = choices < hosts ? std::lcm(result, choices) : hosts;
    tops *= shape.w[l];
    if (result >= hosts) return hosts;
  }
  return static_cast<std::int32_t>(result);
}

class SModK final : public ModK {
 public:
  explicit SModK(const TreeShape& shape) : ModK(shape), planes_(period(shape, hosts())) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t plane) const override {
    if (destination >= hosts()) return towards_switch(s, destination - hosts());
    return towards_host(s, static_cast<std::uint32_t>(destination), static_cast<std::uint32_t>(plane));
  }
  std::int32_t planes() const override { return planes_; }
  std::int32_t plane(std::int32_t source, std::int32_t /*destination*/) const override {
    return source % planes_;
  }

 private:
  std::int32_t planes_;
};

}  // namespace

Outcome engine::s_mod_k(const Topology& topology, const RouteOptions& options) {
  if (options.lmc > 0) return refuse("its planes follow from the tree, and an LMC cannot be chosen");
  if (const auto* tree = std::get_if<TreeShape>(&topology.shape())) {
    return {std::make_shared<SModK>(*tree), ""};
  }
  return refuse("its formula needs an intact PGFT, which '" + topology.name() + "' is not, or is no longer");
}

}  // namespace sortlast::fabric
