// The compositors of miniGraphics on given images, for the benchmark's peer "minigraphics".
//
// miniGraphics (github.com/sandialabs/miniGraphics) is a set of programs that render and composite their own
// geometry. This library makes its images from the caller's pixels and executes, frame by frame, the part of
// its main loop between rendering and saving: compress if requested, compose, expand, gather. Link it with
// those compositors and MPI into libsortlast_minigraphics.so.
#include <mpi.h>

#include <2-3-Swap/Base/Swap_2_3_Base.hpp>
#include <BinarySwap/234Schedule/BinarySwap234Schedule.hpp>
#include <BinarySwap/Base/BinarySwapBase.hpp>
#include <BinarySwap/Fold/BinarySwapFold.hpp>
#include <BinarySwap/Remainder/BinarySwapRemainder.hpp>
#include <BinarySwap/Telescoping/BinarySwapTelescoping.hpp>
#include <Common/ImageRGBAFloatColorOnly.hpp>
#include <Common/ImageRGBAUByteColorFloatDepth.hpp>
#include <Common/ImageRGBAUByteColorOnly.hpp>
#include <Common/ImageSparse.hpp>
#include <DirectSend/Base/DirectSendBase.hpp>
#include <DirectSend/Overlap/DirectSendOverlap.hpp>
#include <RadixK/Base/RadixKBase.hpp>

#include <cstring>
#include <memory>
#include <sstream>
#include <string>

namespace {

std::unique_ptr<Compositor> compositor(const std::string& name, int k, int ranks) {
  if (name == "direct-send") return std::make_unique<DirectSendBase>();
  if (name == "direct-send-overlap") return std::make_unique<DirectSendOverlap>();
  if (name == "binary-swap") return std::make_unique<BinarySwapBase>();
  if (name == "binary-swap-fold") return std::make_unique<BinarySwapFold>();
  if (name == "binary-swap-remainder") return std::make_unique<BinarySwapRemainder>();
  if (name == "binary-swap-telescoping") return std::make_unique<BinarySwapTelescoping>();
  if (name == "binary-swap-234") return std::make_unique<BinarySwap234Schedule>();
  if (name == "2-3-swap") return std::make_unique<Swap_2_3_Base>();
  if (name != "radix-k") return nullptr;
  auto radix_k = std::make_unique<RadixKBase>();
  radix_k->generateK(k, ranks);
  return radix_k;
}

template <class Kind>
std::unique_ptr<ImageFull> filled(int width, int height, const void* colour) {
  auto image = std::make_unique<Kind>(width, height);
  std::memcpy(
      image->getColorBuffer(), colour,
      static_cast<std::size_t>(width) * height * Kind::ColorVecSize * sizeof(typename Kind::ColorType));
  return image;
}

const void* colour_of(const ImageFull& image) {
  if (const auto* floats = dynamic_cast<const ImageRGBAFloatColorOnly*>(&image))
    return floats->getColorBuffer();
  if (const auto* bytes = dynamic_cast<const ImageRGBAUByteColorOnly*>(&image))
    return bytes->getColorBuffer();
  return dynamic_cast<const ImageRGBAUByteColorFloatDepth&>(image).getColorBuffer();
}

struct Scene {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  std::unique_ptr<Compositor> compositor;
  std::unique_ptr<ImageFull> image;
  std::unique_ptr<ImageFull> result;
  bool compress = false;
  bool gather = false;
};

}  // namespace

extern "C" {

// One rank's image (RGBA, row by row; float or unsigned char; the latter with or without depth) and the
// method to composite it with the images of the other ranks of `comm`, rank 0 in front. `viewport`: {x0, y0,
// x1, y1}, last pixels included, outside which the image is empty; or null. Returns null if there is no
// compositor of that name.
void* minigraphics_open(const MPI_Comm* comm, const char* algorithm, int k, int width, int height,
                        int is_float, const void* colour, const float* depth, const int* viewport,
                        int compress, int gather) {
  auto scene = std::make_unique<Scene>();
  scene->comm = *comm;
  int ranks = 0;
  MPI_Comm_size(*comm, &ranks);
  MPI_Comm_group(*comm, &scene->group);
  scene->compositor = compositor(algorithm, k, ranks);
  if (!scene->compositor) return nullptr;
  if (depth != nullptr) {
    scene->image = filled<ImageRGBAUByteColorFloatDepth>(width, height, colour);
    auto& image = dynamic_cast<ImageRGBAUByteColorFloatDepth&>(*scene->image);
    std::memcpy(image.getDepthBuffer(), depth, static_cast<std::size_t>(width) * height * sizeof(float));
  } else if (is_float != 0) {
    scene->image = filled<ImageRGBAFloatColorOnly>(width, height, colour);
  } else {
    scene->image = filled<ImageRGBAUByteColorOnly>(width, height, colour);
  }
  if (viewport != nullptr)
    scene->image->setValidViewport(Viewport(viewport[0], viewport[1], viewport[2], viewport[3]));
  scene->compress = compress != 0;
  scene->gather = gather != 0;
  return scene.release();
}

void minigraphics_frame(void* opened) {
  Scene& scene = *static_cast<Scene*>(opened);
  std::ostringstream log;
  YamlWriter yaml(log);
  scene.result.reset();

  std::unique_ptr<Image> image;
  if (scene.compress) {
    image = scene.image->compress()->shallowCopy();
  } else {
    image = scene.image->shallowCopy();
  }
  std::unique_ptr<Image> piece = scene.compositor->compose(image.get(), scene.group, scene.comm, yaml);
  if (scene.compress) {
    scene.result = dynamic_cast<ImageSparse&>(*piece).uncompress();
  } else {
    scene.result.reset(dynamic_cast<ImageFull*>(piece.release()));
  }
  if (scene.gather) scene.result = scene.result->Gather(0, scene.comm);
}

// The colours of pixels [*begin, *end) of the last frame: of the whole frame if it was gathered (only valid
// at rank 0).
const void* minigraphics_result(void* opened, int* begin, int* end) {
  const ImageFull& result = *static_cast<Scene*>(opened)->result;
  *begin = result.getRegionBegin();
  *end = result.getRegionEnd();
  return colour_of(result);
}

void minigraphics_close(void* opened) {
  auto* scene = static_cast<Scene*>(opened);
  MPI_Group_free(&scene->group);
  delete scene;
}

}  // extern "C"
