// Every rank draws a translucent disc; rank 0 writes their composite, its own disc in front, to discs.ppm.
#include <sortlast_mpi.h>
#include <stdio.h>

static uint8_t rgba[640 * 480][4];  // premultiplied

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  for (int i = 0; i < 640 * 480; ++i) {
    const int x = i % 640 - 200 - 80 * rank, y = i / 640 - 240;
    if (x * x + y * y < 150 * 150) rgba[i][rank % 3] = rgba[i][3] = 150;
  }

  const sortlast_image image = {
      .colour = rgba, .width = 640, .height = 480, .format = {SORTLAST_UINT8, 4, false}};
  sortlast_composition over = SORTLAST_COMPOSITION_INIT;
  over.background = (const float[]){1, 1, 1, 1};
  sortlast_compositor* compositor = NULL;
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor);
  if (status == SORTLAST_OK) status = sortlast_compositor_composite(compositor, &image, &over, &tile);
  if (status == SORTLAST_OK) status = sortlast_compositor_gather(compositor, tile, 0, false, &frame);
  if (status != SORTLAST_OK) fprintf(stderr, "%s\n", sortlast_compositor_message(compositor));

  if (frame != NULL) {
    const unsigned char* colour = sortlast_frame_image(frame).colour;
    FILE* out = fopen("discs.ppm", "wb");
    fprintf(out, "P6 640 480 255\n");
    for (int i = 0; i < 640 * 480; ++i) fwrite(colour + 4 * i, 1, 3, out);
    fclose(out);
  }
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
  MPI_Finalize();
  return (int)status;
}
