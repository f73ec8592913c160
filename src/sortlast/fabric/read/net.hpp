// Net: the records of a fabric's file, and the topology that results once both sides of every link have been
// compared.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sortlast/fabric/topology.hpp"
#include "sortlast/scan.hpp"

namespace sortlast::fabric {

// Limits of numbers in files. A port number is one byte, and 255 stands for none.
inline constexpr std::int64_t most_ports = 254;
inline constexpr std::int64_t most_lid = 0xFFFFFF;  // Omni-Path's; InfiniBand's unicast LIDs end at 0xBFFF
inline constexpr std::int64_t most_lmc = 7;

// Signalling rate in Gbit/s of "4xNDR" (400), and of "4x" with a rate per lane; 0: unknown. Nominal, as shown
// by ibstat.
double rate_of(std::string_view width_and_speed);
double rate_of(std::string_view width, double lane_gbps);
// "4xNDR" for 400; empty if no width and speed have this rate.
std::string name_of_rate(double gbps);

class Net {
 public:
  // Messages name the file and lines of `scanner`, which must outlive this object.
  explicit Net(const Scanner& scanner) : scanner_(scanner) {}

  struct Node {
    std::string id = {};     // by which links refer to it
    std::string name = {};   // empty: the id
    std::uint64_t guid = 0;  // 0: assigned later
    bool is_switch = false, is_router = false;
    std::int32_t ports = 0;
    std::int32_t lid = 0;  // of a switch
    std::uint64_t system_guid = 0;
    std::int64_t line = 0;
  };
  // Contents of one line about a port, and about the end of its cable; 0: not given.
  struct Side {
    std::int32_t lid = 0;
    std::int32_t lmc = 0;
    std::uint64_t guid = 0;
  };
  struct Port {
    std::string far_id;
    std::int32_t far_port = 1;
    Side near, far;
    double gbps = 0;
    std::int64_t line = 0;
  };

  // Returns the node's number, which identifies it when ports are added. An adapter or router with ports in
  // several subnets has a record in each; a second record of a switch is rejected.
  std::size_t add(Node node);
  bool knows(const std::string& id) const { return by_id_.contains(id); }
  std::size_t number(const std::string& id) const { return by_id_.at(id); }
  const Node& node(std::size_t n) const { return nodes_[n]; }
  void add_port(std::size_t node, std::int32_t port, Port said);

  // Hosts (ports of adapters that have a cable) and switches in the order of their records. A link may be
  // given by one side only; ports with a loopback plug count as ports without a cable. Throws ArgumentError
  // for sides that contradict each other, and for far more ports than cables.
  Topology topology(const std::string& name);

 private:
  using Key = std::pair<std::size_t, std::int32_t>;  // node, port
  struct Cable {
    Key far;
    double gbps = 0;
    std::int64_t line = 0;
  };

  std::string describe(const Key& port) const;
  void give_guids();
  void check_ports() const;
  Key far_end(const Key& near, const Port& said) const;
  void lay(const Key& near, const Key& far, const Port& said);
  void merge(const Key& key, const Side& said, std::int64_t line);

  const Scanner& scanner_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::map<Key, Port> ports_;
  std::map<Key, Cable> cables_;  // from both sides
  std::map<Key, Side> sides_;
};

}  // namespace sortlast::fabric
