// Frames through IceT's interface, timed: run it with IceT's own libraries and with sortlast's replacement.
//
//   mpiexec -n P frames WIDTH HEIGHT FRAMES surface|volume STRATEGY SINGLE_IMAGE_STRATEGY
//
// Every rank draws like ParaView: its callback copies a picture that is already drawn into the given image,
// RGBA bytes with a depth (surface: near the depths of other ranks) or RGBA floats (volume, blended in
// order). The strategies are the numbers of IceT.h ("0x6002 0x7001"). Rank 0 prints a line of JSON: the
// seconds of each frame without the copying, on the slowest rank, and the sum of the picture's bytes or
// floats, so that the pictures of two runs can be compared before their times.
#include <IceT.h>
#include <IceTMPI.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, width, height, blends;
static void* colours;
static float* depths;

// Rank r draws a disc at its own place, covering 60 % of the picture; the rest stays empty.
static void prepare(void) {
  const size_t n = (size_t)width * (size_t)height;
  colours = calloc(n, blends ? 16 : 4);
  depths = malloc(n * sizeof *depths);
  const double x0 = width * (.35 + .3 * rank / (ranks > 1 ? ranks - 1 : 1));
  const double radius = .62 * height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t i = (size_t)y * (size_t)width + (size_t)x;
      const double away = hypot(x - x0, y - height / 2.) / radius;
      depths[i] = 1;
      if (away >= 1) continue;
      depths[i] = (float)(.2 + .6 * fmod(.37 * rank + away, 1));
      if (blends) {
        float* pixel = (float*)colours + 4 * i;
        const float alpha = (float)(.3 * (1 - away));
        pixel[0] = alpha * (float)(rank + 1) / (float)ranks;
        pixel[1] = alpha * .5F;
        pixel[2] = alpha * (float)away;
        pixel[3] = alpha;
      } else {
        unsigned char* pixel = (unsigned char*)colours + 4 * i;
        pixel[0] = (unsigned char)(20 * (rank + 1));
        pixel[1] = (unsigned char)(255 * away);
        pixel[2] = 99;
        pixel[3] = 255;
      }
    }
  }
}

static void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                 const IceTInt* readback, IceTImage result) {
  (void)projection;
  (void)modelview;
  (void)background;
  (void)readback;
  const size_t n = (size_t)width * (size_t)height;
  if (blends) {
    memcpy(icetImageGetColorf(result), colours, 16 * n);
  } else {
    memcpy(icetImageGetColorub(result), colours, 4 * n);
    memcpy(icetImageGetDepthf(result), depths, sizeof(float) * n);
  }
}

static double sum_of(IceTImage image) {
  const size_t n = (size_t)icetImageGetNumPixels(image);
  double sum = 0;
  for (size_t i = 0; i < 4 * n; ++i)
    sum += blends ? icetImageGetColorcf(image)[i] : icetImageGetColorcub(image)[i];
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 7) {
    fprintf(stderr, "usage: frames WIDTH HEIGHT FRAMES surface|volume STRATEGY SINGLE_IMAGE_STRATEGY\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  width = atoi(argv[1]);
  height = atoi(argv[2]);
  const int frames = atoi(argv[3]);
  blends = strcmp(argv[4], "volume") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  prepare();

  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
  IceTContext context = icetCreateContext(comm);
  icetDestroyMPICommunicator(comm);
  icetStrategy((IceTEnum)strtol(argv[5], NULL, 0));
  icetSingleImageStrategy((IceTEnum)strtol(argv[6], NULL, 0));
  icetResetTiles();
  icetAddTile(0, 0, width, height, 0);
  icetSetColorFormat(blends ? ICET_IMAGE_COLOR_RGBA_FLOAT : ICET_IMAGE_COLOR_RGBA_UBYTE);
  icetSetDepthFormat(blends ? ICET_IMAGE_DEPTH_NONE : ICET_IMAGE_DEPTH_FLOAT);
  icetCompositeMode(blends ? ICET_COMPOSITE_MODE_BLEND : ICET_COMPOSITE_MODE_Z_BUFFER);
  if (blends) icetEnable(ICET_ORDERED_COMPOSITE);
  icetDrawCallback(draw);

  const IceTDouble identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const IceTFloat background[4] = {0, 0, 0, blends ? 0 : 1};
  double sum = 0;
  if (rank == 0) printf("{\"seconds\": [");
  for (int i = -1; i < frames; ++i) {  // the first is not counted
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    IceTImage image = icetDrawFrame(identity, identity, background);
    IceTDouble drawing = 0;
    const double end = MPI_Wtime();
    icetGetDoublev(ICET_RENDER_TIME, &drawing);
    double own = end - begin - drawing;
    double most = 0;
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && i >= 0) printf("%s%.6f", i ? ", " : "", most);
    if (rank == 0 && i == frames - 1) sum = sum_of(image);
  }
  if (rank == 0) printf("], \"sum\": %.17g}\n", sum);
  icetDestroyContext(context);
  free(colours);
  free(depths);
  MPI_Finalize();
  return 0;
}
