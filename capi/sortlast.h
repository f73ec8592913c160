// sortlast.h: the part of the C interface of sortlast that needs no MPI: images, the serial oracle,
// visibility order and schedules. The compositor is in sortlast_mpi.h, which includes this header. C99; also
// C++.
//
// Handles. A function that makes an object writes a handle, which the matching _free function releases. Every
// handle belongs to its caller, and freeing NULL does nothing. Data returned by a handle (text, arrays,
// pixels) belongs to the handle and is valid until the handle is freed, unless stated otherwise. Nothing is
// global. A handle may be used by one thread at a time; different threads may use different handles, if MPI
// was initialised with MPI_THREAD_MULTIPLE.
//
// Errors. Functions that can fail return a sortlast_status, and the message of the handle that they work on
// describes the problem, its place and the remedy. A _create function writes a handle even if it fails. That
// handle only holds the message, and must be freed too. The handle is NULL only if memory ran out before it
// was made, with the status SORTLAST_ERROR_MEMORY. Passing NULL as the handle of a call, or as the address of
// a result, gives SORTLAST_ERROR_ARGUMENT. No C++ exception leaves the library.
//
// Structures of options begin with their own size, so that later versions can add members at the end.
// Initialise them with SORTLAST_COMPOSITION_INIT and its counterparts, which hold the size and the defaults,
// and then change members. A size of 0, or below the size of the structure's first version, is an ARGUMENT
// error. A size larger than this library knows is an error unless all unknown bytes are zero. NULL instead of
// a structure selects the defaults. All other structures never change. Enumerations are passed as int32_t,
// because its size does not depend on the compiler.
#ifndef SORTLAST_H
#define SORTLAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Version of these headers, the same as in the C++ headers.
#define SORTLAST_VERSION_MAJOR 0
#define SORTLAST_VERSION_MINOR 1
#define SORTLAST_VERSION_PATCH 0
#define SORTLAST_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // shared libraries export only these declarations
#endif

// ---- Errors ----------------------------------------------------------------------------------------

typedef enum sortlast_status {
  SORTLAST_OK = 0,
  SORTLAST_ERROR_ARGUMENT = 1,   // an argument is invalid by itself
  SORTLAST_ERROR_MISMATCH = 2,   // arguments differ between ranks; the same message on every rank
  SORTLAST_ERROR_TIMEOUT = 3,    // a wait exceeded its limit; the message names both ranks
  SORTLAST_ERROR_MPI = 4,        // the MPI library reported an error; the message contains its text
  SORTLAST_ERROR_MEMORY = 5,     // out of memory
  SORTLAST_ERROR_INTERNAL = 6,   // anything else: a bug in the library
  SORTLAST_ERROR_INTERRUPT = 7,  // the caller's own interrupt callback ended the wait
  SORTLAST_ERROR_REMOTE = 8,     // a call on another rank failed; the message names the rank and the cause
  SORTLAST_ERROR_USAGE = 9  // not allowed now: another call is running, it is closed, or MPI is finalized
} sortlast_status;

// A status as a word: "ok", "argument", "mismatch", "timeout", "mpi", "memory", "internal", "interrupt",
// "remote", "usage"; "unknown" for any other number. Never NULL; the text is constant.
const char* sortlast_status_name(sortlast_status status);

// ---- Images ----------------------------------------------------------------------------------------

// Type of one channel.
enum sortlast_scalar { SORTLAST_FLOAT32 = 0, SORTLAST_FLOAT16 = 1, SORTLAST_UINT8 = 2 };

// How two pixels at the same place become one; front is the one nearer to the viewer.
enum sortlast_op {
  SORTLAST_OVER = 0,     // front + (1 - front alpha) * back, premultiplied RGBA
  SORTLAST_CLOSEST = 1,  // the pixel of the smaller depth; equal depths go to the front one
  SORTLAST_ADD = 2,      // channel by channel, like the next two
  SORTLAST_MAX = 3,
  SORTLAST_MIN = 4
};

// Layout of a pixel.
typedef struct sortlast_format {
  int32_t scalar;    // SORTLAST_FLOAT32, SORTLAST_FLOAT16 or SORTLAST_UINT8
  int32_t channels;  // 3 (RGB) or 4 (RGBA), side by side; `over` needs 4
  bool depth;        // a separate float32 depth per pixel; `closest` needs it
} sortlast_format;

// Half-open rectangle of pixels: columns [x0, x1) of rows [y0, y1).
typedef struct sortlast_rectangle {
  int64_t x0;
  int64_t y0;
  int64_t x1;
  int64_t y1;
} sortlast_rectangle;

// An image: height rows of width pixels, row-major without gaps. Pixels passed by a caller remain the
// caller's and are only read during the call; they only need the alignment of their scalar type. NULL as
// colour means that this rank has no image, which is not an error: it takes no part in the frame, as if all
// its pixels were empty. Its size and format must still match the other images.
typedef struct sortlast_image {
  const void* colour;  // width * height * channels scalars, premultiplied; NULL: no image
  const float* depth;  // width * height depths; read only if format.depth
  int64_t width;       // [pixels]
  int64_t height;      // [pixels]
  sortlast_format format;
  // If not NULL, all pixels outside are empty (all channels 0, depth infinite), which saves searching for
  // them. Ranks may differ. Read during the call, only by sortlast_compositor_composite.
  const sortlast_rectangle* bounds;
} sortlast_image;

// Memory owned by the caller for finished pixels; NULL as colour: none.
typedef struct sortlast_pixels {
  void* colour;  // as in sortlast_image
  float* depth;
} sortlast_pixels;

// For pixels in the memory of a GPU (CUDA).
typedef struct sortlast_device {
  size_t size;   // sizeof(sortlast_device)
  void* stream;  // CUstream or cudaStream_t on which the image is drawn and the result is used; NULL: the
                 // default
} sortlast_device;

#define SORTLAST_DEVICE_INIT {sizeof(sortlast_device), NULL}

// How the images of one frame become one. Its arrays are only read during the call.
typedef struct sortlast_composition {
  size_t size;              // sizeof(sortlast_composition)
  int32_t op;               // SORTLAST_OVER ... SORTLAST_MIN
  const int32_t* order;     // the p ranks from front to back; NULL: rank order
  const float* background;  // one premultiplied value per channel, 0..1 for uint8 images; NULL: none
  // Whether the colours of this rank's image are already multiplied by alpha. Straight colours are multiplied
  // as they are read. The result is always premultiplied. Ranks may differ. Used only by the
  // sortlast_compositor_composite functions, like `out`.
  bool premultiplied;
  // Memory of a whole image, passed by every rank or by none. This rank's finished pixels are written to
  // their places in it; the rest is left unchanged. The tile refers to this memory, so it must outlive the
  // tile.
  sortlast_pixels out;
  // The rank at which the tiles will be gathered, the same on every rank; NULL: unknown. It changes
  // pixels at most by rounding, but it changes which pixels the tiles hold. With several images per rank, or
  // between nodes if no rank has drawn more than 1/p of the image, the algorithm "auto" may let this rank
  // finish the whole frame. Else, between nodes, an image of which every rank has drawn at most half is
  // divided into interleaved blocks, which balances the work, and a tile holds many ranges of it. Used only
  // by sortlast_compositor_composite and sortlast_compositor_composite_images.
  const int32_t* root;
  // If late ranks are left out, replaces the deadline in the options for this frame [s]. The value of the
  // rank that opens the frame applies, or the value of rank 0; ranks may differ. 0: the deadline in the
  // options. INFINITY: the frame waits for all ranks, which the last frame should do.
  double deadline;
  // If not NULL, the pixels of this rank's image are in the memory of a GPU, and so are `out`, the tile and,
  // at the root, the frame. The call returns when its work is added to the stream. Ranks may differ. Used
  // only by sortlast_compositor_composite; the others report an ARGUMENT error.
  const sortlast_device* device;
} sortlast_composition;

#define SORTLAST_COMPOSITION_INIT \
  {sizeof(sortlast_composition), SORTLAST_OVER, NULL, NULL, true, {NULL, NULL}, NULL, 0, NULL}

// Type of a channel's values, 4 bytes each.
enum sortlast_channel_type { SORTLAST_CHANNEL_UINT32 = 0, SORTLAST_CHANNEL_FLOAT32 = 1 };

// How the values of several images at one pixel become one. A rank has drawn a pixel if its colour is not 0,
// its depth is finite, or a channel with the rule blend is not 0 (SORTLAST_CLOSEST ignores channels here).
// Pixels that a rank has not drawn take no part.
enum sortlast_channel_rule {
  // Blend, but front for uint32 under SORTLAST_OVER.
  SORTLAST_RULE_AUTOMATIC = 0,
  // The same operator as for the colours: closest takes the winner's values; over weighs them by the colours'
  // alpha (premultiplied, float32 only); add, max and min work on each value separately, for uint32 modulo
  // 2^32.
  SORTLAST_RULE_BLEND = 1,
  // Only with SORTLAST_OVER: the values of the front-most image with its own alpha above the threshold.
  SORTLAST_RULE_FRONT = 2,
  // Only with SORTLAST_OVER: the values of the image at which the alpha composited from front to back first
  // exceeds the threshold. Every image's values then travel to the last step.
  SORTLAST_RULE_ACCUMULATED = 3
};

// Values of a pixel other than colour and depth. All ranks pass the same channels, in any order, with the
// same types, widths, rules and backgrounds; only the values differ. Everything is only read during the call.
typedef struct sortlast_channel {
  size_t size;       // sizeof(sortlast_channel)
  const char* name;  // UTF-8, not empty, without '=' or control characters
  int32_t type;      // SORTLAST_CHANNEL_UINT32 or SORTLAST_CHANNEL_FLOAT32
  int32_t width;     // values per pixel, side by side: 1 or more
  // `width` values for each pixel of the image, row-major, 4-byte aligned; NULL on a rank without an image.
  const void* values;
  int32_t rule;     // SORTLAST_RULE_AUTOMATIC ...
  float threshold;  // for front and accumulated: an alpha in [0, 1)
  // `width` values of a pixel behind all images. They show where nobody drew, and elsewhere according to the
  // rule (blend: behind the composite; front, accumulated: where no image exceeds the threshold). NULL: 0
  // where nobody drew, and nothing behind other pixels.
  const double* background;
} sortlast_channel;

#define SORTLAST_CHANNEL_INIT \
  {sizeof(sortlast_channel), NULL, SORTLAST_CHANNEL_FLOAT32, 1, NULL, SORTLAST_RULE_AUTOMATIC, 0, NULL}

// A channel's finished values for the pixels of a tile or of a whole image; valid until the tile or image is
// freed.
typedef struct sortlast_channel_values {
  const char* name;
  int32_t type;   // SORTLAST_CHANNEL_UINT32 or SORTLAST_CHANNEL_FLOAT32
  int32_t width;  // values per pixel, side by side
  int64_t pixels;
  const void* values;  // NULL if there are no pixels
} sortlast_channel_values;

// Half-open range [begin, end) of pixels (row-major indices) or of depth positions.
typedef struct sortlast_range {
  int64_t begin;
  int64_t end;
} sortlast_range;

// A whole finished image, made by sortlast_compositor_gather and sortlast_composite_serial.
typedef struct sortlast_frame sortlast_frame;

// Size, format and pixels of a frame, as an image that can be passed on. All zero for a frame that only holds
// a message, and for NULL. colour is NULL if the frame has no pixels.
sortlast_image sortlast_frame_image(const sortlast_frame* frame);

// The number of channels collected with the frame (by sortlast_compositor_gather_channels), and one of them,
// sorted by name; all zero if the index is out of range. 0 for NULL.
int32_t sortlast_frame_channel_count(const sortlast_frame* frame);
sortlast_channel_values sortlast_frame_channel(const sortlast_frame* frame, int32_t index);

// The error message of the call that made the frame; "" if it succeeded.
const char* sortlast_frame_message(const sortlast_frame* frame);

void sortlast_frame_free(sortlast_frame* frame);

// The oracle: composite `count` images from front to back, in the order of the indices in composition->order,
// in one thread, in float32, rounded once. All images have the same size and format; images with colour NULL
// take no part. composition may be NULL: all defaults. Needs no MPI. Writes a frame.
//
// Errors: ARGUMENT (no images, different sizes or formats, an unknown number, an order that is not a
// permutation of 0..count-1, an operator that does not support the format), MEMORY.
sortlast_status sortlast_composite_serial(const sortlast_image* images, int32_t count,
                                          const sortlast_composition* composition, sortlast_frame** frame);

// ---- Visibility order ------------------------------------------------------------------------------

// Axis-aligned box, in the units of the scene. With low > high on every axis it holds no data.
typedef struct sortlast_box {
  double low[3];
  double high[3];
} sortlast_box;

// An eye point or, for a parallel projection, the viewing direction.
typedef struct sortlast_viewpoint {
  double position[3];
  bool parallel;  // position is the viewing direction
} sortlast_viewpoint;

// The order of the ranks' data in depth, seen from a viewpoint.
typedef struct sortlast_visibility sortlast_visibility;

// Order `count` boxes that hold the ranks' data, where box r belongs to rank r. Boxes may share faces.
// sortlast_visibility_create in sortlast_mpi.h does the same from each rank's own box.
//
// Errors: ARGUMENT (boxes that overlap or cover each other in a cycle, with their ranks; the boxes of a k-d
// tree or a regular grid never do), MEMORY.
sortlast_status sortlast_visibility_create_from_boxes(const sortlast_box* boxes, int32_t count,
                                                      sortlast_viewpoint viewpoint,
                                                      sortlast_visibility** visibility);

// All ranks from front to back, for sortlast_composition.order. If several orders are valid, lower ranks come
// first; ranks without data come last. NULL if there is no order.
const int32_t* sortlast_visibility_order(const sortlast_visibility* visibility);

// The error message from making the order; "" if it succeeded.
const char* sortlast_visibility_message(const sortlast_visibility* visibility);

void sortlast_visibility_free(sortlast_visibility* visibility);

// ---- Schedules -------------------------------------------------------------------------------------

// The usage of an algorithm with its parameters ("radix-k[:k1,k2,...]"), for index 0, 1, ...; NULL past the
// last. The part before "[" is a valid name by itself. The text is constant.
const char* sortlast_algorithm_usage(int32_t index);

// Which rank sends which pixels to whom, and how they are merged: a compositor's plan as a value, made
// without MPI and without pixels.
typedef struct sortlast_schedule sortlast_schedule;

// The input of a schedule.
typedef struct sortlast_setting {
  size_t size;           // sizeof(sortlast_setting)
  int64_t n;             // pixels, 0 or more
  int32_t p;             // ranks, 1 or more
  bool commutes;         // the operator commutes (add, max, min), so the ring may determine the merge order
  const int32_t* order;  // the p ranks from front to back; NULL: rank order
  const int32_t* ring;   // the p ranks in communication order; NULL: rank order
} sortlast_setting;

#define SORTLAST_SETTING_INIT {sizeof(sortlast_setting), 0, 1, false, NULL, NULL}

// Make a schedule from the name of its algorithm; NULL: "auto". `setting` must not be NULL; its arrays are
// copied.
//
// Errors: ARGUMENT, MEMORY.
sortlast_status sortlast_schedule_create(const char* algorithm, const sortlast_setting* setting,
                                         sortlast_schedule** schedule);

// The error message of the last call on this handle; "" if it succeeded. Valid until the next call on it.
const char* sortlast_schedule_message(const sortlast_schedule* schedule);

void sortlast_schedule_free(sortlast_schedule* schedule);

// Full name with the selected parameters ("radix-k:4,3"); "" if the schedule was not made.
const char* sortlast_schedule_name(const sortlast_schedule* schedule);

// Number of stages; 0 if the schedule was not made.
int32_t sortlast_schedule_stages(const sortlast_schedule* schedule);

// The pixels that a rank finishes. The pieces of all ranks partition [0, n).
//
// Errors: ARGUMENT (no such rank).
sortlast_status sortlast_schedule_piece(sortlast_schedule* schedule, int32_t rank, sortlast_range* piece);

// Execute the schedule symbolically for all ranks. Checks that every send is what its receiver expects, that
// every merge joins adjacent fragments, and that the results partition the image. Costs O(all steps).
//
// Errors: INTERNAL (the schedule is wrong; the message describes the first violation), MEMORY.
sortlast_status sortlast_schedule_verify(sortlast_schedule* schedule);

// One message in the list of all transfers. The pixels hold the composite of the images at the depth
// positions `depth`. For operators that commute, these are counted modulo p, so that depth.end may exceed p.
typedef struct sortlast_transfer {
  int32_t stage;  // 1, 2, ...
  int32_t source;
  int32_t destination;
  sortlast_range pixels;
  sortlast_range depth;
} sortlast_transfer;

// All ranks' transfers, by stage and then by source. Writes the address of an array that the schedule owns,
// and its length; NULL and 0 on failure. The first call costs O(all steps).
//
// Errors: MEMORY.
sortlast_status sortlast_schedule_transfers(sortlast_schedule* schedule, const sortlast_transfer** transfers,
                                            int64_t* count);

// The schedule with every rank's program as JSON: {"algorithm", "p", "n", "stages", "order", "ring", "nodes",
// "positions", "programs": [...]}. Writes the address of a text that the schedule owns; NULL on failure. The
// first call costs O(all steps).
//
// Errors: MEMORY.
sortlast_status sortlast_schedule_json(sortlast_schedule* schedule, const char** json);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
