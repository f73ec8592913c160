// Every rank draws a translucent disc; rank 0 writes their composite, its own disc in front, to discs.ppm.
#include <cstdint>
#include <fstream>
#include <sortlast/compositor.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  std::vector<std::uint8_t> rgba(640 * 480 * 4);  // premultiplied
  for (int i = 0; i < 640 * 480; ++i) {
    const int x = i % 640 - 200 - 80 * rank, y = i / 640 - 240;
    if (x * x + y * y < 150 * 150) rgba[4 * i + rank % 3] = rgba[4 * i + 3] = 150;
  }

  sortlast::Compositor compositor(MPI_COMM_WORLD);
  const auto image = sortlast::image_view<std::uint8_t>(rgba, {640, 480});
  const sortlast::Tile tile = compositor.composite(image, {.background = {1, 1, 1, 1}});
  if (const auto frame = compositor.gather(tile)) {
    std::ofstream out("discs.ppm", std::ios::binary);
    out << "P6 640 480 255\n";
    const auto colour = frame->colour<std::uint8_t>();
    for (std::size_t i = 0; i < colour.size(); ++i)
      if (i % 4 != 3) out.put(static_cast<char>(colour[i]));  // no alpha
  }
  compositor.close();
  MPI_Finalize();
}
