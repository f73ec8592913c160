// A shift or direct-send on a SimGrid platform: prints the simulated seconds.
//
// Usage: simgrid_exchange PLATFORM shift|direct-send BYTES HOST... [--cfg=...]
//
// The i-th host is rank i. Ranks proceed to the next stage of a shift when their send and their receive have
// completed, as in sortlast.simulate.shift().
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace {

sg4::Mailbox* mailbox(std::size_t from, std::size_t to) {
  return sg4::Mailbox::by_name(std::to_string(from) + " " + std::to_string(to));
}

void exchange(std::size_t rank, std::size_t p, double bytes, bool staged) {
  static int payload = 0;
  std::vector<sg4::CommPtr> open;
  std::vector<int*> received(p);
  for (std::size_t s = 1; s < p; ++s) {
    const std::size_t from = (rank + p - s) % p;
    open.push_back(mailbox(from, rank)->get_async<int>(&received[s]));
    open.push_back(mailbox(rank, (rank + s) % p)->put_async(&payload, static_cast<std::uint64_t>(bytes)));
    if (!staged && s + 1 < p) continue;
    for (const sg4::CommPtr& comm : open) comm->wait();
    open.clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  if (argc < 5) return 2;
  engine.load_platform(argv[1]);
  const bool staged = std::string(argv[2]) == "shift";
  const double bytes = std::stod(argv[3]);
  const auto p = static_cast<std::size_t>(argc - 4);
  for (std::size_t rank = 0; rank < p; ++rank) {
    sg4::Host* const host = engine.host_by_name("host" + std::string(argv[4 + rank]));
    sg4::Actor::create("rank", host, exchange, rank, p, bytes, staged);
  }
  engine.run();
  std::printf("%.12g\n", sg4::Engine::get_clock());
}
