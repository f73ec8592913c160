// What a routing engine is: a function that forwards on a whole fabric, or says why it refuses it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

struct Outcome {
  std::shared_ptr<const Forwarding> forwarding;  // null: the engine refuses the fabric ...
  std::string refusal;  // ... because of this, a clause: "switch 'a' has 3 up-links, switch 'b' 4"
};

inline Outcome refuse(std::string why) { return {nullptr, std::move(why)}; }

// The engines, one file each. They may rely on options that route() has checked: roots and compute hold
// switches and hosts that exist, each once; lmc is in 0 .. 7. An engine that cannot spread over 2^lmc planes
// refuses lmc > 0; minhop, which stands in for those that refuse, refuses nothing.
namespace engine {

Outcome d_mod_k(const Topology& topology, const RouteOptions& options);
Outcome s_mod_k(const Topology& topology, const RouteOptions& options);
Outcome ftree(const Topology& topology, const RouteOptions& options);
Outcome minhop(const Topology& topology, const RouteOptions& options);
Outcome updn(const Topology& topology, const RouteOptions& options);
Outcome dor(const Topology& topology, const RouteOptions& options);
Outcome lash(const Topology& topology, const RouteOptions& options);
Outcome random(const Topology& topology, const RouteOptions& options);

}  // namespace engine
}  // namespace sortlast::fabric
