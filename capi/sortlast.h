// sortlast.h: the C interface of sortlast. C99; also C++.
//
// Handles. A function that makes an object writes a handle, which the matching _free function takes back.
// Every handle belongs to its caller, and freeing NULL does nothing. What a handle hands out (text, arrays,
// pixels) belongs to the handle and is valid until that is freed, unless said otherwise. Nothing is global.
// A handle may be used by one thread at a time; different handles by different threads, if MPI was
// initialised with MPI_THREAD_MULTIPLE.
//
// Errors. Functions that can fail return a sortlast_status, and the handle that they work on tells in its
// message what was wrong, where, and what to do. A _create function writes a handle even if it fails: that
// one holds only the message, and must be freed too. The handle is NULL only if memory ran out before it was
// made, with the status SORTLAST_ERROR_MEMORY. Passing NULL as a handle to work on, or as the place for a
// result, gives SORTLAST_ERROR_ARGUMENT. No C++ exception leaves the library.
//
// Structures that are all zero ask for the defaults. Numbers of enumerations travel as int32_t, whose size
// does not depend on the compiler.
#ifndef SORTLAST_H
#define SORTLAST_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // of a shared library only what stands here is seen
#endif

// ---- Errors ----------------------------------------------------------------------------------------

typedef enum sortlast_status {
  SORTLAST_OK = 0,
  SORTLAST_ERROR_ARGUMENT = 1,  // an argument is wrong on its own
  SORTLAST_ERROR_MISMATCH = 2,  // arguments differ between ranks; the same message on every rank
  SORTLAST_ERROR_TIMEOUT = 3,   // a wait passed its limit; the message says who waits for whom
  SORTLAST_ERROR_MPI = 4,       // the MPI library reported an error; the message holds its text
  SORTLAST_ERROR_MEMORY = 5,    // memory ran out
  SORTLAST_ERROR_INTERNAL = 6   // anything else: a defect of the library
} sortlast_status;

// A status as a word: "ok", "argument", "mismatch", "timeout", "mpi", "memory", "internal"; "unknown" for
// any other number. Never NULL; the text is constant.
const char* sortlast_status_name(sortlast_status status);

// ---- Images ----------------------------------------------------------------------------------------

// Type of one channel.
enum { SORTLAST_FLOAT32 = 0, SORTLAST_FLOAT16 = 1, SORTLAST_UINT8 = 2 };

// How two pixels of the same place become one; front is the one nearer to the viewer.
enum {
  SORTLAST_OVER = 0,     // front + (1 - front alpha) * back, premultiplied RGBA
  SORTLAST_CLOSEST = 1,  // the pixel of the smaller depth; equal depths go to the front one
  SORTLAST_ADD = 2,      // channel by channel, and so are the next
  SORTLAST_MAX = 3,
  SORTLAST_MIN = 4
};

// What a pixel is.
typedef struct sortlast_format {
  int32_t scalar;    // SORTLAST_FLOAT32, SORTLAST_FLOAT16 or SORTLAST_UINT8
  int32_t channels;  // 3 (RGB) or 4 (RGBA), interleaved; `over` needs 4
  bool depth;        // a float32 depth per pixel beside the colour; `closest` needs it
} sortlast_format;

// Half-open rectangle of pixels: columns [x0, x1) of rows [y0, y1).
typedef struct sortlast_rectangle {
  int64_t x0;
  int64_t y0;
  int64_t x1;
  int64_t y1;
} sortlast_rectangle;

// An image: height rows of width pixels, row-major without gaps. Pixels that a caller passes stay the
// caller's and are only read during the call; they need no alignment beyond that of their scalar.
typedef struct sortlast_image {
  const void* colour;  // width * height * channels scalars, premultiplied; NULL: no image here
  const float* depth;  // width * height depths; read only if format.depth
  int64_t width;       // [pixels]
  int64_t height;      // [pixels]
  sortlast_format format;
  // If not NULL, all pixels outside are empty: all channels 0, and depth infinite. That need not be found out
  // then. Ranks may differ in it. Only read during the call, and only by sortlast_compositor_composite.
  const sortlast_rectangle* bounds;
} sortlast_image;

// How the images of one frame become one. Its arrays are only read during the call.
typedef struct sortlast_composition {
  int32_t op;               // SORTLAST_OVER ... SORTLAST_MIN
  const int32_t* order;     // the p ranks from front to back; NULL: rank order
  const float* background;  // one value a channel, premultiplied, 0..1 for uint8 images; NULL: none
} sortlast_composition;

// Half-open range [begin, end) of pixels (row-major indices) or of depth positions.
typedef struct sortlast_range {
  int64_t begin;
  int64_t end;
} sortlast_range;

// A finished image, whole: made by sortlast_compositor_gather and sortlast_composite_serial.
typedef struct sortlast_frame sortlast_frame;

// Size, format and pixels of a frame, as an image that may be passed on; all zero for a frame that only
// holds a message, and for NULL. colour is NULL if the frame has no pixels.
sortlast_image sortlast_frame_image(const sortlast_frame* frame);

// What was wrong with the call that made the frame; "" if nothing was.
const char* sortlast_frame_message(const sortlast_frame* frame);

void sortlast_frame_free(sortlast_frame* frame);

// The oracle: composite `count` images, from front to back as composition->order lists their indices, in
// one thread, in float32, rounded once. All images have the same size and format; those with colour NULL
// take no part. composition may be NULL: all defaults. Needs no MPI. Writes a frame.
// Errors: ARGUMENT (no images, sizes or formats that differ, an unknown number, an order that is no
// permutation of 0..count-1, an operator that the format does not suit), MEMORY.
sortlast_status sortlast_composite_serial(const sortlast_image* images, int32_t count,
                                          const sortlast_composition* composition, sortlast_frame** frame);

// ---- Compositor ------------------------------------------------------------------------------------

// Composites one image a rank into one image, over the ranks of a communicator.
//
// _create, _composite and _gather are collective: every rank makes the same calls. If arguments differ, or
// one is wrong on some rank, every rank gets the same error before any pixel moves, and the compositor
// stays usable. If a rank does not come within the timeout, the others get SORTLAST_ERROR_TIMEOUT; messages
// may then still be under way, so the memory of the images must stay until MPI_Finalize, and the compositor
// can only be freed.
typedef struct sortlast_compositor sortlast_compositor;

// How the image is shared out: as bands of rows; in blocks that are dealt out to the ranks, so that each gets
// as much to do wherever the images are empty; or in blocks for the frames for which that is predicted to be
// faster.
enum { SORTLAST_CONTIGUOUS = 0, SORTLAST_INTERLEAVED = 1, SORTLAST_PARTITION_AUTO = 2 };

// All zero asks for the defaults. All ranks pass the same but for timeout and dense_only.
typedef struct sortlast_options {
  const char* algorithm;  // "shift", "radix-k:4,3", ... (sortlast_algorithm_usage); NULL: "auto"
  const int32_t* ring;    // the p ranks in the order in which they should talk (the fabric's routing order),
                          // apart from depth order; NULL: rank order
  double timeout;         // longest wait without any progress [s]; 0: 60 s
  // Ranks that share a machine read each other's images where they lie. 0: those that really do; 1: none, all
  // pixels travel as messages; k: at most k of them, as if the others were on other machines.
  int32_t node_ranks;
  // Do not check in every call, by a reduction of two numbers, that all ranks passed the same arguments.
  // Ranks that disagree then hang or give wrong pixels. Ranks that all share a machine check anyway, at no
  // cost.
  bool no_check;
  bool dense_only;      // send empty pixels too; the result has the same bits
  bool half;            // colours of float32 images travel as float16 (2^-11 relative error a transfer)
  int64_t chunk_bytes;  // most bytes of pixels that one message carries, 4096 to 2^30; 0: 2^20
  int32_t partition;    // SORTLAST_CONTIGUOUS ...; tiles of the others may hold many ranges of the image
} sortlast_options;

// Make a compositor; collective over `comm`, which is duplicated and may be freed at once. MPI must be
// initialised. options may be NULL: all defaults.
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_compositor_create(MPI_Comm comm, const sortlast_options* options,
                                           sortlast_compositor** compositor);

// What was wrong with the last call on this handle; "" if nothing was. Valid until the next call on it.
const char* sortlast_compositor_message(const sortlast_compositor* compositor);

// Every rank must free its own; it may be done after MPI_Finalize.
void sortlast_compositor_free(sortlast_compositor* compositor);

// Memory that the other ranks of the machine can read.
typedef struct sortlast_memory sortlast_memory;

// Memory for an image, or for a plane of one: `bytes` zeros, aligned to 64. Images that lie in it are
// composited without a copy; others are read through the kernel, or copied once where it forbids that. Not
// collective. Writes a handle, which may outlive the compositor, or NULL on failure (the message is the
// compositor's).
// Errors: ARGUMENT (bytes below 0, no place for the handle), MEMORY, INTERNAL (the system has no shared
// memory).
sortlast_status sortlast_compositor_allocate(sortlast_compositor* compositor, int64_t bytes,
                                             sortlast_memory** memory);

// Its first byte; NULL for 0 bytes, and for NULL.
void* sortlast_memory_data(const sortlast_memory* memory);

void sortlast_memory_free(sortlast_memory* memory);

// The pixels that one rank has finished.
typedef struct sortlast_tile sortlast_tile;

// Composite one frame; collective. Every rank describes its image; one without an image gives colour NULL
// and the size and format that the others have. composition may be NULL: all defaults. Writes this rank's
// tile, or NULL on failure (the message is the compositor's).
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_compositor_composite(sortlast_compositor* compositor, const sortlast_image* image,
                                              const sortlast_composition* composition, sortlast_tile** tile);

// Pixels [range.begin, range.end) of the whole image, or, if it was dealt out in blocks, those of ranges[0],
// ranges[1] and so on, one behind the other; `range` counts them from 0 then. It may be empty. The pixels
// stay unchanged whatever the compositor does later, and all addresses are valid, until the tile is freed.
typedef struct sortlast_tile_pixels {
  sortlast_range range;
  const void* colour;            // (range.end - range.begin) * channels scalars; NULL if there are none
  const float* depth;            // range.end - range.begin depths; NULL if the images have none
  const sortlast_range* ranges;  // NULL if there are none
  int64_t range_count;           // 0 or 1 unless the partition is interleaved
} sortlast_tile_pixels;

// All zero for NULL.
sortlast_tile_pixels sortlast_tile_get(const sortlast_tile* tile);

void sortlast_tile_free(sortlast_tile* tile);

// Collect the tiles of one frame in the whole image at rank `root`; collective. with_depth: the depth too,
// if the images had it. Writes a frame at the root and NULL elsewhere, and NULL on failure (the message is
// the compositor's). The tile may be freed at once.
// Errors: ARGUMENT, MISMATCH, TIMEOUT, MPI, MEMORY.
sortlast_status sortlast_compositor_gather(sortlast_compositor* compositor, const sortlast_tile* tile,
                                           int32_t root, bool with_depth, sortlast_frame** frame);

// Where the time of a frame went on this rank, and what it moved.
typedef struct sortlast_timing {
  double agree;        // check that all ranks passed the same arguments [s]
  double wait;         // transfers that no blending hid [s]
  double blend;        // merging [s]
  double gather;       // collecting the tiles [s]
  double total;        // the whole frame [s]
  int64_t bytes_sent;  // [bytes], and so are the other bytes
  int64_t bytes_received;
  int64_t messages_sent;
  int64_t messages_received;
  int64_t stages;
  int64_t peak_bytes;  // most memory held beyond the input image and the result
} sortlast_timing;

// Of the last composite and, if it followed, gather; all zero before, and for NULL.
sortlast_timing sortlast_compositor_timing(const sortlast_compositor* compositor);

// Full name of the algorithm of the last composite ("radix-k:4,3"), before that the one asked for; "" if
// the compositor was not made. Valid until the next call on the handle.
const char* sortlast_compositor_algorithm(const sortlast_compositor* compositor);

// ---- Visibility order ------------------------------------------------------------------------------

// Axis-aligned box, in the units of the scene. With low > high on some axis it holds no data.
typedef struct sortlast_box {
  double low[3];
  double high[3];
} sortlast_box;

// An eye point; or, for a parallel projection, the direction in which the viewer looks.
typedef struct sortlast_viewpoint {
  double position[3];
  bool parallel;  // position is a direction
} sortlast_viewpoint;

// Which rank's data lies in front of which, seen from a viewpoint.
typedef struct sortlast_visibility sortlast_visibility;

// From the box that holds each rank's data; boxes may share faces. Collective over `comm`, with the same
// viewpoint on every rank; there is no timeout. box may be NULL: no data on this rank.
// Errors, on every rank alike: ARGUMENT (boxes that overlap, or that cover each other in a cycle, with the
// ranks named; the boxes of a kd-tree or a regular grid never do), MISMATCH (viewpoints that differ), MPI,
// MEMORY.
sortlast_status sortlast_visibility_create(MPI_Comm comm, const sortlast_box* box,
                                           sortlast_viewpoint viewpoint, sortlast_visibility** visibility);

// The same from all ranks' boxes at once: `count` of them, box r being rank r's. Needs no MPI.
sortlast_status sortlast_visibility_create_from_boxes(const sortlast_box* boxes, int32_t count,
                                                      sortlast_viewpoint viewpoint,
                                                      sortlast_visibility** visibility);

// All ranks from front to back, for sortlast_composition.order. Where several orders are right, lower ranks
// come first; ranks without data come last. NULL if there is no order.
const int32_t* sortlast_visibility_order(const sortlast_visibility* visibility);

// What was wrong when the order was made; "" if nothing was.
const char* sortlast_visibility_message(const sortlast_visibility* visibility);

void sortlast_visibility_free(sortlast_visibility* visibility);

// ---- Schedules -------------------------------------------------------------------------------------

// How the name of an algorithm is written, with its parameters ("radix-k[:k1,k2,...]"), for index 0, 1, ...;
// NULL past the last. What comes before "[" is a name by itself. The text is constant.
const char* sortlast_algorithm_usage(int32_t index);

// Who sends which pixels to whom, and what is merged with what: a compositor's plan as a value, made
// without MPI and without pixels.
typedef struct sortlast_schedule sortlast_schedule;

typedef struct sortlast_setting {
  int32_t p;             // ranks, 1 or more
  int64_t n;             // pixels, 0 or more
  const int32_t* order;  // the p ranks from front to back; NULL: rank order
  const int32_t* ring;   // the p ranks in communication order; NULL: rank order
  bool commutes;         // the operator commutes (add, max, min), so that the ring may set the merge order
} sortlast_setting;

// Make a schedule by the name of its algorithm; NULL: "auto". The arrays of `setting` are copied.
// Errors: ARGUMENT, MEMORY.
sortlast_status sortlast_schedule_create(const char* algorithm, const sortlast_setting* setting,
                                         sortlast_schedule** schedule);

// What was wrong with the last call on this handle; "" if nothing was. Valid until the next call on it.
const char* sortlast_schedule_message(const sortlast_schedule* schedule);

void sortlast_schedule_free(sortlast_schedule* schedule);

// Full name with the parameters that were chosen ("radix-k:4,3"); "" if the schedule was not made.
const char* sortlast_schedule_name(const sortlast_schedule* schedule);

// Number of stages; 0 if the schedule was not made.
int32_t sortlast_schedule_stages(const sortlast_schedule* schedule);

// Pixels that a rank ends with; the pieces of all ranks partition [0, n).
// Errors: ARGUMENT (no such rank).
sortlast_status sortlast_schedule_piece(sortlast_schedule* schedule, int32_t rank, sortlast_range* piece);

// Execute the schedule symbolically, all ranks: every send is what its receiver expects, every merge joins
// what touches, and the results partition the image. Costs O(all steps).
// Errors: INTERNAL (the schedule is wrong; the message tells the first thing that does not hold), MEMORY.
sortlast_status sortlast_schedule_verify(sortlast_schedule* schedule);

// One message, seen from above. The pixels hold the composite of the images at the depth positions `depth`,
// which for operators that commute are counted round a circle of p, so that depth.end may pass p.
typedef struct sortlast_transfer {
  int32_t stage;  // 1, 2, ...
  int32_t source;
  int32_t destination;
  sortlast_range pixels;
  sortlast_range depth;
} sortlast_transfer;

// All ranks' transfers, by stage and then by source: writes the address of an array that the schedule owns,
// and its length. NULL and 0 on failure. Costs O(all steps), once.
// Errors: MEMORY.
sortlast_status sortlast_schedule_transfers(sortlast_schedule* schedule, const sortlast_transfer** transfers,
                                            int64_t* count);

// The schedule with every rank's program as JSON: {"algorithm", "p", "n", "stages", "order", "ring",
// "programs": [...]}. Writes the address of a text that the schedule owns; NULL on failure. Costs O(all
// steps), once.
// Errors: MEMORY.
sortlast_status sortlast_schedule_json(sortlast_schedule* schedule, const char** json);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
