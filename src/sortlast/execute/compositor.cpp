// Compositor: the public class, and the access of the interfaces to other languages.
#include "sortlast/compositor.hpp"

#include "sortlast/execute/compositor_impl.hpp"

namespace sortlast {

Compositor::Compositor(MPI_Comm comm, const Options& options)
    : impl_(std::make_unique<Impl>(comm, options, "")) {}
Compositor::Compositor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Compositor::Compositor(Compositor&&) noexcept = default;
Compositor& Compositor::operator=(Compositor&&) noexcept = default;
Compositor::~Compositor() = default;

Compositor::Impl& Compositor::impl() const {
  if (!impl_) throw UsageError("this compositor is closed (or was moved from); make a new one");
  return *impl_;
}

void Compositor::close() {
  if (!impl_) return;
  if (impl_->session_.busy.load())
    throw UsageError("close() was called while another call of this compositor is under way");
  impl_.reset();
}

Compositor Compositor::shrink() { return Compositor(impl().shrink()); }
std::vector<std::int32_t> Compositor::ranks() const { return impl().session_.origin; }

Tile Compositor::composite(const ImageView& image, const Composition& composition, const PixelBuffer& out) {
  return impl().composite(image, composition, out);
}
Tile Compositor::composite(const ImageView& image, const Composition& composition,
                           std::span<const Channel> channels, const PixelBuffer& out) {
  return impl().composite_channels(image, composition, channels, out);
}
std::optional<Frame> Compositor::gather(const Tile& tile, int root, bool with_depth, const PixelBuffer& out,
                                        bool with_channels) {
  return impl().gather({{detail::TileAccess::data(tile), root, with_depth, out}}, with_channels);
}
Tile Compositor::composite(std::span<const BoxImage> images, Size size, const Composition& composition,
                           const PixelBuffer& out) {
  return impl().composite_boxes({images, size, composition, out});
}
Memory Compositor::allocate(std::size_t bytes) { return impl().session_.node->allocate(bytes); }
Memory Compositor::allocate_on_device(std::size_t bytes, int gpu) {
  impl();
  return device::zeros(device::Context(gpu), bytes);
}
const Timing& Compositor::timing() const { return impl().statistics_.timing; }
std::string Compositor::algorithm() const {
  const Impl& made = impl();
  if (made.statistics_.layered) return made.layers_.schedule->name();
  return made.images_.plan ? made.images_.plan->schedule->name() : made.session_.options.algorithm;
}
std::string Compositor::explain() const {
  const Impl& made = impl();
  if (made.statistics_.layered) return made.explain_layers();
  if (!made.images_.plan) return "Nothing has been composited yet.\n";
  return made.statistics_.boxes_explained + made.explain_devices() +
         sortlast::explain(*made.images_.plan->schedule, made.images_.format, *made.images_.algorithm,
                           made.images_.profile.source, made.images_.interleaving, made.statistics_.traffic,
                           made.statistics_.timing);
}
void Compositor::trace(bool on) { impl().statistics_.recording = on; }
const std::vector<Event>& Compositor::events() const { return impl().statistics_.events; }
void Compositor::clear_events() { impl().statistics_.events.clear(); }
int Compositor::rank() const { return impl().session_.rank; }
int Compositor::size() const { return impl().session_.size; }
bool Compositor::usable() const { return impl_ && !impl_->session_.broken; }

Compositor detail::CompositorAccess::make(MPI_Comm comm, const Options& options, const std::string& problem,
                                          const Internals& internals) {
  return Compositor(std::make_unique<Compositor::Impl>(comm, options, problem, internals));
}

void detail::CompositorAccess::refuse(Compositor& compositor, const std::string& call,
                                      const std::string& problem) {
  compositor.impl().refuse(call, problem);
}

Tile detail::CompositorAccess::composite(Compositor& compositor, const ImageView& image,
                                         const Composition& composition, const PixelBuffer& out,
                                         float background_depth) {
  return compositor.impl().composite(image, composition, out, background_depth);
}

Tile detail::CompositorAccess::composite_boxes(Compositor& compositor, const BoxCall& call) {
  return compositor.impl().composite_boxes(call);
}

Tile detail::CompositorAccess::composite_layers(Compositor& compositor, const LayerCall& call,
                                                const PixelBuffer& out) {
  return compositor.impl().composite_layers(call, out);
}

std::optional<std::vector<LayerString>> detail::CompositorAccess::gather_layers(Compositor& compositor,
                                                                                const Tile& tile, int root,
                                                                                const std::string& problem) {
  return compositor.impl().gather_layers(TileAccess::data(tile), root, problem);
}

bool detail::CompositorAccess::agree(Compositor& compositor, const std::string& call,
                                     const std::vector<std::pair<std::string, std::string>>& named,
                                     const std::string& problem, bool flag) {
  return compositor.impl().agree_by_name(call, named, problem, flag);
}

std::vector<std::byte> detail::CompositorAccess::all_gather(Compositor& compositor, const std::string& call,
                                                            std::span<const std::byte> mine) {
  return compositor.impl().collect(call, [&](const auto& comm, const auto& alarm, const auto& waits_for) {
    return detail::all_gather(comm, alarm, waits_for, mine.data(), mine.size());
  });
}

std::vector<std::byte> detail::CompositorAccess::gather_bytes(Compositor& compositor, const std::string& call,
                                                              std::span<const std::byte> mine) {
  return compositor.impl().collect(call, [&](const auto& comm, const auto& alarm, const auto& waits_for) {
    return detail::gather_bytes(comm, alarm, waits_for, mine);
  });
}

void detail::CompositorAccess::listen(Compositor& compositor, double seconds) {
  compositor.impl().listen(seconds);
}

MPI_Comm detail::CompositorAccess::duplicate(MPI_Comm comm, double timeout, const char* call) {
  Communicator copy = sortlast::duplicate(comm, timeout, call);
  const MPI_Comm result = copy.get();
  copy.abandon();  // ownership passes to the caller
  return result;
}

std::optional<Frame> detail::CompositorAccess::gather(Compositor& compositor, const std::vector<Tile>& tiles,
                                                      const std::vector<int>& roots, bool with_depth) {
  std::vector<Gathering> images;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    images.push_back({TileAccess::data(tiles[i]), roots[i], with_depth, {}});
  return compositor.impl().gather(images);
}

void detail::CompositorAccess::keep(Compositor& compositor, const ImageView& image,
                                    std::shared_ptr<const void> memory) {
  const auto& gpu = compositor.impl().devices_.gpu;
  if (gpu && image.memory == MemoryKind::device) gpu->keep(gpu->stream(image.stream), std::move(memory));
}

void detail::CompositorAccess::use(Compositor& compositor, const std::string& algorithm) {
  compositor.impl().use(algorithm);
}

bool detail::CompositorAccess::on_one_machine(const Compositor& compositor) {
  return compositor.impl().session_.node->everybody();
}

void detail::CompositorAccess::set_timeout(Compositor& compositor, double seconds) {
  compositor.impl().session_.alarm.set_limit(seconds);
}

void detail::CompositorAccess::give_up(Compositor& compositor, const std::string& cause) noexcept {
  if (compositor.impl_) compositor.impl_->session_.give_up(cause);
}

}  // namespace sortlast
