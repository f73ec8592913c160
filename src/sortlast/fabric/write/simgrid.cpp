// SimGrid platforms: hosts, switches as routers, cables as bidirectional links, and the route of every pair
// of hosts from the forwarding tables.
//
// SimGrid has zones that compute routes themselves (shortest paths, its own fat-tree), but not the routes of
// the tables. Its zone "Full" takes each route as given, so a platform grows with the square of the number of
// hosts: 0.1 MB for 16, 130 MB for 582 with long names. Larger platforms are rejected, not truncated.
//
// SimGrid's Platform Reference (platform version 4.1): https://simgrid.org/doc/latest/XML_reference.html
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::int64_t most_pairs = 400'000;  // of hosts

// A name as the value of an attribute.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20) {
      throw ArgumentError("the name '" + name + "' holds a control character; XML cannot");
    }
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

class Writer {
 public:
  Writer(const Routes& routes, double link_bytes_per_second, double link_seconds)
      : routes_(routes),
        topology_(*routes.topology),
        link_bytes_per_second_(link_bytes_per_second),
        link_seconds_(link_seconds),
        link_of_(static_cast<std::size_t>(topology_.channels())) {
    check();
    std::set<std::string> known;
    for (Vertex v = 0; v < topology_.vertices(); ++v) {
      names_.push_back(escaped(topology_.label(v)));
      if (known.insert(names_.back()).second) continue;
      throw ArgumentError("two vertices are called '" + names_.back() + "'; SimGrid needs a name for each");
    }
  }

  std::string write() {
    text_ =
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n  <zone id=\"fabric\" routing=\"Full\">\n";
    for (Vertex v = 0; v < topology_.vertices(); ++v) {
      const std::string& name = names_[static_cast<std::size_t>(v)];
      text_ += topology_.is_host(v) ? "    <host id=\"" + name + "\" speed=\"1Gf\"/>\n"
                                    : "    <router id=\"" + name + "\"/>\n";
    }
    for (Channel c = 0; c < topology_.channels(); ++c) {
      if (topology_.target(c).connected() && c < topology_.reverse(c)) write_link(c);
    }
    for (std::int32_t from = 0; from < topology_.hosts(); ++from) {
      for (std::int32_t to = 0; to < topology_.hosts(); ++to) {
        if (from != to) write_route(from, to);
      }
    }
    text_ += "  </zone>\n</platform>\n";
    return std::move(text_);
  }

 private:
  void check() const {
    const std::int64_t pairs = std::int64_t{topology_.hosts()} * (topology_.hosts() - 1);
    if (pairs > most_pairs) {
      throw ArgumentError(topology_.name() + " has " + std::to_string(pairs) +
                          " pairs of hosts, and a SimGrid platform has a route for each of at most " +
                          std::to_string(most_pairs) + "; leave hosts out");
    }
    if (!(link_bytes_per_second_ >= 0) || !std::isfinite(link_bytes_per_second_)) {
      throw ArgumentError("link_bytes_per_second is " + std::to_string(link_bytes_per_second_) +
                          "; expected bytes per second, or 0 for the rate of each link");
    }
    if (!(link_seconds_ >= 0) || !std::isfinite(link_seconds_)) {
      throw ArgumentError("link_seconds is " + std::to_string(link_seconds_) + "; expected 0 or more");
    }
  }

  // A link is named after the end that its lower channel leaves; this channel is its direction UP.
  void write_link(Channel c) {
    const End from = topology_.source(c);
    const std::string name = names_[static_cast<std::size_t>(from.vertex)] + ":" + std::to_string(from.port);
    link_of_[static_cast<std::size_t>(c)] = "<link_ctn id=\"" + name + "\" direction=\"UP\"/>";
    link_of_[static_cast<std::size_t>(topology_.reverse(c))] =
        "<link_ctn id=\"" + name + "\" direction=\"DOWN\"/>";
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "bandwidth=\"%.17gBps\" latency=\"%.17gs\"", bandwidth(c),
                  link_seconds_);
    text_ += "    <link id=\"" + name + "\" " + numbers + " sharing_policy=\"SPLITDUPLEX\"/>\n";
  }

  double bandwidth(Channel c) const {
    constexpr double unknown = 1.25e9;  // the simulators' default
    if (link_bytes_per_second_ > 0) return link_bytes_per_second_;
    return topology_.gbps(c) > 0 ? topology_.gbps(c) * 1e9 / 8 : unknown;
  }

  void write_route(std::int32_t from, std::int32_t to) {
    text_ += "    <route src=\"" + names_[static_cast<std::size_t>(from)] + "\" dst=\"" +
             names_[static_cast<std::size_t>(to)] + "\" symmetrical=\"NO\">";
    for (const Channel c : walk(routes_, from, to)) text_ += link_of_[static_cast<std::size_t>(c)];
    text_ += "</route>\n";
  }

  const Routes& routes_;
  const Topology& topology_;
  double link_bytes_per_second_;
  double link_seconds_;
  std::vector<std::string> names_;    // of vertices
  std::vector<std::string> link_of_;  // by channel: name of its link in a route
  std::string text_;
};

}  // namespace

std::string write_simgrid(const Routes& routes, double link_bytes_per_second, double link_seconds) {
  return Writer(routes, link_bytes_per_second, link_seconds).write();
}

}  // namespace sortlast::fabric
