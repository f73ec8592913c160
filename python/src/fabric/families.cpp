// The families of topologies: a function each, by keyword, and all of them by name.
#include "sortlast/fabric/families.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

void bind_families(nb::module_& module);

namespace {

using fabric::Counts;
using Release = nb::call_guard<nb::gil_scoped_release>;

// A builder as a function that returns what Python holds.
template <auto builder, typename... Parameters>
std::shared_ptr<fabric::Topology> build(Parameters... parameters) {
  return std::make_shared<fabric::Topology>(builder(parameters...));
}

void bind_trees(nb::module_& module) {
  using Number = std::int32_t;
  module.def("crossbar", &build<fabric::crossbar, Number>, "n"_a, Release(), "One switch with n hosts.");
  module.def("k_ary_n_tree", &build<fabric::k_ary_n_tree, Number, Number>, "k"_a, "n"_a, Release(),
             "k**n hosts under n levels of k**(n-1) switches (Petrini and Vanneschi, 1997).");
  module.def("var_ary_n_tree", &build<fabric::var_ary_n_tree, const Counts&>, "k"_a, Release(),
             "Arity k[l-1] at level l, as many links up as down (Zahavi et al., 2010).");
  module.def(
      "gft", &build<fabric::gft, Number, Number, Number>, "h"_a, "m"_a, "w"_a, Release(),
      "GFT(h, m, w) of Oehring et al. (1995): m children and w parents everywhere, adapters of w ports.");
  module.def("xgft", &build<fabric::xgft, const Counts&, const Counts&>, "m"_a, "w"_a, Release(),
             "XGFT(h; m; w) of Oehring et al. (1995): children and parents by level, from the hosts up.");
  module.def("pgft", &build<fabric::pgft, const Counts&, const Counts&, const Counts&>, "m"_a, "w"_a, "p"_a,
             Release(),
             "PGFT(h; m; w; p) of Zahavi (2010): an XGFT with p parallel links to each parent, by level.");
  module.def("rlft", &build<fabric::rlft, Number, Number>, "ports"_a, "levels"_a, Release(),
             "Real Life Fat-Tree (Zahavi, 2010) of most hosts with switches of `ports` ports.");
  module.def("thin_tree", &build<fabric::thin_tree, Number, Number, Number>, "k"_a, "up"_a, "n"_a, Release(),
             "Thin-tree k:up,n of Navaridas et al.; with up = k a fat-tree.");
  module.def("slender_tree", &build<fabric::slender_tree, Number, Number, Number>, "k"_a, "up"_a, "n"_a,
             Release(), "Slender-tree k:up,n of Navaridas et al.; up divides k and is below it.");
  module.def(
      "why_no_rlft",
      [](const Counts& m, const Counts& w, const Counts& p) { return fabric::why_no_rlft({m, w, p}); }, "m"_a,
      "w"_a, "p"_a, "Why PGFT(h; m; w; p) is no Real Life Fat-Tree; empty: it is one.");
}

}  // namespace

void bind_families(nb::module_& module) {
  bind_trees(module);
  module.def("mesh", &build<fabric::mesh, const Counts&, std::int32_t>, "size"_a, "hosts"_a = 1, Release(),
             "A switch with `hosts` hosts at every coordinate, x fastest.");
  module.def("torus", &build<fabric::torus, const Counts&, std::int32_t>, "size"_a, "hosts"_a = 1, Release(),
             "A mesh whose ends are joined.");

  nb::class_<fabric::Family> family(module, "Family", "A family of topologies, as make_topology() takes it.");
  bind_value(family, field("name", &fabric::Family::name), field("usage", &fabric::Family::usage),
             field("summary", &fabric::Family::summary));
  module.def("families", [] {
    const auto all = fabric::families();
    return std::vector<fabric::Family>(all.begin(), all.end());
  });
  module.def(
      "make_topology",
      [](const std::string& text) { return std::make_shared<fabric::Topology>(fabric::make_topology(text)); },
      "text"_a, Release(), "A topology by name: 'pgft:18,12;1,9;1,2', 'k-ary-n-tree:12,2', 'torus:8,8,8'.");
}

}  // namespace sortlast::python
