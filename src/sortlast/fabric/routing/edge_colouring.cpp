// Koenig, "Ueber Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre" (1916): the edges of a
// bipartite multigraph of maximum degree k can be coloured with k colours. If k exceeds the number of
// colours, each vertex is first divided into copies with at most as many edges as there are colours. Then no
// copy has a colour twice, and a vertex has no colour more often than it has copies.
#include "sortlast/fabric/routing/edge_colouring.hpp"

#include <map>

namespace sortlast::fabric {

namespace {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Colouring {
 public:
  Colouring(std::int32_t colours, std::size_t edges) : colours_(colours), ends_(edges), colour_(edges, -1) {}

  void add(std::int32_t edge, std::int32_t left, std::int32_t right) {
    const std::int32_t u = copy_of(0, left), v = copy_of(1, right);
    ends_[at(edge)] = {u, v};
    const std::int32_t a = free_colour(u), b = free_colour(v);
    if (taken(v, a) >= 0) exchange(v, a, b);
    paint(edge, a);
  }

  std::vector<std::int32_t> colours() && { return std::move(colour_); }

 private:
  // A copy of a vertex with room for one more edge.
  std::int32_t copy_of(int side, std::int32_t vertex) {
    Copies& copies = copies_[{side, vertex}];
    if (copies.edges++ % colours_ == 0) {
      copies.last = static_cast<std::int32_t>(taken_.size()) / colours_;
      taken_.resize(taken_.size() + at(colours_), -1);
    }
    return copies.last;
  }

  std::int32_t& taken(std::int32_t copy, std::int32_t colour) {
    return taken_[at(std::int64_t{copy} * colours_ + colour)];
  }

  std::int32_t free_colour(std::int32_t copy) {
    std::int32_t colour = 0;
    while (taken(copy, colour) >= 0) ++colour;
    return colour;
  }

  void paint(std::int32_t edge, std::int32_t colour) {
    colour_[at(edge)] = colour;
    taken(ends_[at(edge)].first, colour) = edge;
    taken(ends_[at(edge)].second, colour) = edge;
  }

  // Exchanges two colours on the path that leaves a copy by an edge of colour a. The path cannot reach the
  // other end of the new edge, because it would have to enter by an edge of colour a, and that end has none.
  void exchange(std::int32_t copy, std::int32_t a, std::int32_t b) {
    std::vector<std::int32_t> path;
    for (std::int32_t edge = taken(copy, a), next = b; edge >= 0; next = a + b - next) {
      path.push_back(edge);
      const auto [u, v] = ends_[at(edge)];
      copy = copy == u ? v : u;
      edge = taken(copy, next);
    }
    for (const std::int32_t edge : path) {
      for (const std::int32_t end : {ends_[at(edge)].first, ends_[at(edge)].second}) {
        taken(end, colour_[at(edge)]) = -1;
      }
    }
    for (const std::int32_t edge : path) paint(edge, a + b - colour_[at(edge)]);
  }

  struct Copies {
    std::int32_t edges = 0, last = 0;
  };
  std::int32_t colours_;
  std::map<std::pair<int, std::int32_t>, Copies> copies_;
  std::vector<std::pair<std::int32_t, std::int32_t>> ends_;  // copies, by edge
  std::vector<std::int32_t> colour_;                         // by edge
  std::vector<std::int32_t> taken_;                          // by copy, by colour: the edge; -1: none
};

}  // namespace

std::vector<std::int32_t> colour_edges(const Edges& edges, std::int32_t colours) {
  Colouring colouring(colours, edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    colouring.add(static_cast<std::int32_t>(e), edges[e].first, edges[e].second);
  }
  return std::move(colouring).colours();
}

}  // namespace sortlast::fabric
