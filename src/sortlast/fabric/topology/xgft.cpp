// Generalized fat-trees without parallel links: Oehring, Ibel, Das, Kumar, "On Generalized Fat Trees" (1995).
#include <string>

#include "sortlast/fabric/topology/family_parts.hpp"
#include "sortlast/fabric/topology/pgft.hpp"

namespace sortlast::fabric {

Topology xgft(const Counts& m, const Counts& w) {
  return build_pgft("XGFT(" + std::to_string(m.size()) + "; " + join(m) + "; " + join(w) + ")",
                    {m, w, Counts(m.size(), 1)});
}

// Every vertex below the roots has w parents, hosts too: for w > 1 they are adapters of w ports.
Topology gft(std::int32_t h, std::int32_t m, std::int32_t w) {
  const std::string name =
      "GFT(" + std::to_string(h) + ", " + std::to_string(m) + ", " + std::to_string(w) + ")";
  check_levels(name, "h", h);
  const auto levels = static_cast<std::size_t>(h);
  return build_pgft(name, {Counts(levels, m), Counts(levels, w), Counts(levels, 1)});
}

}  // namespace sortlast::fabric
