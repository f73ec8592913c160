// Netlists of ibsim, and of ibnetdiscover, which adds LIDs, GUIDs of ports and rates. See
// read/ibnetdiscover.cpp for the format.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/read/net.hpp"

namespace sortlast::fabric {

namespace {

std::string hex16(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, value);
  return text;
}

std::string hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%" PRIx64, value);
  return text;
}

// Names are in double quotes, and a record is a line.
void check_name(const std::string& name) {
  for (const char c : name) {
    if (c == '"' || static_cast<unsigned char>(c) < 0x20) {
      throw ArgumentError("the name '" + name + "' holds a quote or a control character; netlists cannot");
    }
  }
}

class Writer {
 public:
  Writer(const Topology& topology, bool discovered) : topology_(topology), discovered_(discovered) {
    check();
    for (std::int32_t h = 0; h < topology.hosts(); ++h) adapters_[topology.host(h).guid].push_back(h);
  }

  // Adapters first, because the subnet manager runs on the first port in the file.
  std::string write() {
    std::set<std::uint64_t> written;
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      if (written.insert(topology_.host(h).guid).second) write_adapter(adapters_[topology_.host(h).guid]);
    }
    for (std::int32_t s = 0; s < topology_.switches(); ++s) write_switch(s);
    return std::move(text_);
  }

 private:
  void check() const {
    std::set<std::uint64_t> switches;
    for (std::int32_t s = 0; s < topology_.switches(); ++s) {
      const Switch& on = topology_.switch_at(s);
      check_name(on.name);
      if (on.guid == 0 || !switches.insert(on.guid).second) {
        throw ArgumentError("switch '" + on.name + "' has no GUID of its own; a netlist needs one");
      }
      if (on.ports > most_ports) {
        throw ArgumentError("switch '" + on.name + "' has " + std::to_string(on.ports) +
                            " ports; a netlist's have at most " + std::to_string(most_ports));
      }
    }
    std::set<std::pair<std::uint64_t, std::int32_t>> ports;
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      const Host& host = topology_.host(h);
      check_name(host.name);
      if (host.guid == 0 || switches.contains(host.guid) || !ports.emplace(host.guid, host.port).second) {
        throw ArgumentError("host '" + host.name +
                            "' has no GUID (or adapter port) of its own; a netlist "
                            "needs one");
      }
    }
  }

  void write_adapter(const std::vector<std::int32_t>& ports) {
    const Host& first = topology_.host(ports.front());
    std::int32_t count = 1;
    for (const std::int32_t h : ports) count = std::max(count, topology_.host(h).port);
    const bool router = first.router && discovered_;  // ibsim simulates them as adapters
    text_ += (router ? "rtguid=0x" : "caguid=0x") + hex(first.guid) + (router ? "\nRt\t" : "\nCa\t") +
             std::to_string(count) + " \"" + id(first) + "\"\t\t# \"" + first.name + "\"\n";
    for (const std::int32_t h : ports) {
      const Host& host = topology_.host(h);
      const End& to = topology_.attachment(h);
      const Switch& on = topology_.switch_at(topology_.switch_of(to.vertex));
      text_ += "[" + std::to_string(host.port) + "]" + port_guid(host) + "\t\"S-" + hex16(on.guid) + "\"[" +
               std::to_string(to.port) + "]";
      if (discovered_) {
        text_ += "\t\t# lid " + std::to_string(host.lid) + " lmc " + std::to_string(host.lmc) + " \"" +
                 on.name + "\" lid " + std::to_string(on.lid) + rate(topology_.channel_of_host(h));
      }
      text_ += '\n';
    }
    text_ += '\n';
  }

  void write_switch(std::int32_t s) {
    const Switch& on = topology_.switch_at(s);
    if (on.system_guid != 0) text_ += "sysimgguid=0x" + hex(on.system_guid) + "\n";
    text_ += "switchguid=0x" + hex(on.guid) + (discovered_ ? "(" + hex(on.guid) + ")" : "") + "\nSwitch\t" +
             std::to_string(on.ports) + " \"S-" + hex16(on.guid) + "\"\t\t# \"" + on.name +
             "\" base port 0 lid " + std::to_string(discovered_ ? on.lid : 0) + " lmc 0\n";
    for (std::int32_t port = 1; port <= on.ports; ++port) {
      const Channel c = topology_.channel(s, port);
      const End& to = topology_.target(c);
      if (to.connected()) write_link(port, c, to);
    }
    text_ += '\n';
  }

  void write_link(std::int32_t port, Channel c, const End& to) {
    text_ += "[" + std::to_string(port) + "]\t\"";
    std::string name;
    std::int32_t lid = 0;
    if (topology_.is_host(to.vertex)) {
      const Host& host = topology_.host(to.vertex);
      text_ += id(host) + "\"[" + std::to_string(to.port) + "]" + port_guid(host);
      name = host.name;
      lid = host.lid;
    } else {
      const Switch& other = topology_.switch_at(topology_.switch_of(to.vertex));
      text_ += "S-" + hex16(other.guid) + "\"[" + std::to_string(to.port) + "]";
      name = other.name;
      lid = other.lid;
    }
    if (discovered_) text_ += "\t\t# \"" + name + "\" lid " + std::to_string(lid) + rate(c);
    text_ += '\n';
  }

  std::string id(const Host& host) const {
    return (host.router && discovered_ ? "R-" : "H-") + hex16(host.guid);
  }

  std::string port_guid(const Host& host) const {
    return discovered_ && host.port_guid != 0 ? "(" + hex(host.port_guid) + ")" : "";
  }

  std::string rate(Channel c) const {
    const std::string name = name_of_rate(topology_.gbps(c));
    return name.empty() ? name : " " + name;
  }

  const Topology& topology_;
  bool discovered_;
  std::map<std::uint64_t, std::vector<std::int32_t>> adapters_;  // hosts by the GUID of their adapter
  std::string text_;
};

}  // namespace

std::string write_ibsim(const Topology& topology) { return Writer(topology, false).write(); }

std::string write_ibnetdiscover(const Topology& topology) { return Writer(topology, true).write(); }

}  // namespace sortlast::fabric
