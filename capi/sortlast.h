// sortlast.h: the C interface of sortlast, of all that needs no MPI: images, the serial oracle, visibility
// order and schedules. The compositor is in sortlast_mpi.h, which includes this header. C99; also C++.
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
// Structures of options begin with their own size, so that later versions can add members at the end: begin
// with SORTLAST_COMPOSITION_INIT and the like, which hold the size and the defaults, and change what should
// be otherwise. A size of 0, or less than the first version of the structure had, is an ARGUMENT error; so is
// a larger one than this library knows, unless all that it does not know is zero. A NULL instead of a
// structure asks for the defaults. All other structures never change. Numbers of enumerations travel as
// int32_t, whose size does not depend on the compiler.
#ifndef SORTLAST_H
#define SORTLAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Version of these headers, the same as that of the C++ ones.
#define SORTLAST_VERSION_MAJOR 0
#define SORTLAST_VERSION_MINOR 1
#define SORTLAST_VERSION_PATCH 0
#define SORTLAST_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // of a shared library only what stands here is seen
#endif

// ---- Errors ----------------------------------------------------------------------------------------

typedef enum sortlast_status {
  SORTLAST_OK = 0,
  SORTLAST_ERROR_ARGUMENT = 1,   // an argument is wrong on its own
  SORTLAST_ERROR_MISMATCH = 2,   // arguments differ between ranks; the same message on every rank
  SORTLAST_ERROR_TIMEOUT = 3,    // a wait passed its limit; the message says who waits for whom
  SORTLAST_ERROR_MPI = 4,        // the MPI library reported an error; the message holds its text
  SORTLAST_ERROR_MEMORY = 5,     // memory ran out
  SORTLAST_ERROR_INTERNAL = 6,   // anything else: a defect of the library
  SORTLAST_ERROR_INTERRUPT = 7,  // the caller's own interrupt callback ended the wait
  SORTLAST_ERROR_REMOTE = 8,     // another rank's call failed on the way; the message says which, and why
  SORTLAST_ERROR_USAGE = 9  // not to be called now: another call is under way, it is closed, MPI has ended
} sortlast_status;

// A status as a word: "ok", "argument", "mismatch", "timeout", "mpi", "memory", "internal", "interrupt",
// "remote", "usage"; "unknown" for any other number. Never NULL; the text is constant.
const char* sortlast_status_name(sortlast_status status);

// ---- Images ----------------------------------------------------------------------------------------

// Type of one channel.
enum sortlast_scalar { SORTLAST_FLOAT32 = 0, SORTLAST_FLOAT16 = 1, SORTLAST_UINT8 = 2 };

// How two pixels of the same place become one; front is the one nearer to the viewer.
enum sortlast_op {
  SORTLAST_OVER = 0,     // front + (1 - front alpha) * back, premultiplied RGBA
  SORTLAST_CLOSEST = 1,  // the pixel of the smaller depth; equal depths go to the front one
  SORTLAST_ADD = 2,      // channel by channel, and so are the next
  SORTLAST_MAX = 3,
  SORTLAST_MIN = 4
};

// What a pixel is.
typedef struct sortlast_format {
  int32_t scalar;    // SORTLAST_FLOAT32, SORTLAST_FLOAT16 or SORTLAST_UINT8
  int32_t channels;  // 3 (RGB) or 4 (RGBA), side by side; `over` needs 4
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
// caller's and are only read during the call; they need no alignment beyond that of their scalar. With colour
// NULL there is no image here, which is no error: it takes no part in the frame, as if all its pixels were
// empty. Its size and format must be those of the others all the same.
typedef struct sortlast_image {
  const void* colour;  // width * height * channels scalars, premultiplied; NULL: no image
  const float* depth;  // width * height depths; read only if format.depth
  int64_t width;       // [pixels]
  int64_t height;      // [pixels]
  sortlast_format format;
  // If not NULL, all pixels outside are empty: all channels 0, and depth infinite. That need not be found out
  // then. Ranks may differ in it. Only read during the call, and only by sortlast_compositor_composite.
  const sortlast_rectangle* bounds;
} sortlast_image;

// Memory of the caller's for finished pixels; colour NULL: none.
typedef struct sortlast_pixels {
  void* colour;  // as in sortlast_image
  float* depth;
} sortlast_pixels;

// How the images of one frame become one. Its arrays are only read during the call.
typedef struct sortlast_composition {
  size_t size;              // sizeof(sortlast_composition)
  int32_t op;               // SORTLAST_OVER ... SORTLAST_MIN
  const int32_t* order;     // the p ranks from front to back; NULL: rank order
  const float* background;  // one value a channel, premultiplied, 0..1 for uint8 images; NULL: none
  // Whether the colours of this rank's image are multiplied by its alpha. If not, they are while they are
  // read; the result is premultiplied. Ranks may differ in it. Only for sortlast_compositor_composite, as is
  // `out`.
  bool premultiplied;
  // Memory of a whole image, on every rank or on none, in which this rank's finished pixels are put where
  // they belong; the rest of it is left as it is. The tile refers to it, so it stays for as long as the tile.
  sortlast_pixels out;
  // The rank at which the tiles will be gathered, the same on every rank, if that is known; NULL: it is not.
  // It changes no pixel, but what the tiles hold. With several images per rank, algorithm "auto" may let that
  // rank finish all of the frame. Between nodes, an image of which every rank has drawn at most half is dealt
  // out in blocks, so that each rank has as much to do, and a tile holds many ranges of it. Only for
  // sortlast_compositor_composite and sortlast_compositor_composite_images.
  const int32_t* root;
  // Where late ranks are left out, the deadline of this frame instead of that of the options [s], of the rank
  // whose call opens the frame's time, or of rank 0; ranks may differ in it. 0: that of the options.
  // INFINITY: the frame waits for all, as the last one should.
  double deadline;
} sortlast_composition;

#define SORTLAST_COMPOSITION_INIT \
  {sizeof(sortlast_composition), SORTLAST_OVER, NULL, NULL, true, {NULL, NULL}, NULL, 0}

// Type of a channel's values: both are 4 bytes.
enum sortlast_channel_type { SORTLAST_CHANNEL_UINT32 = 0, SORTLAST_CHANNEL_FLOAT32 = 1 };

// How the values of several images at one pixel become one. A pixel counts as drawn by a rank if its colour
// is not 0, its depth is finite, or a channel of the rule blend is not 0 (SORTLAST_CLOSEST does not look at
// channels). Pixels that a rank has not drawn take no part.
enum sortlast_channel_rule {
  // Blend, but front for uint32 under SORTLAST_OVER.
  SORTLAST_RULE_AUTOMATIC = 0,
  // As the operator does with the colours: closest takes the winner's; over weighs with the colours' alpha
  // (the values are premultiplied, float32 only); add, max and min work value by value, on uint32 modulo
  // 2^32.
  SORTLAST_RULE_BLEND = 1,
  // The following under SORTLAST_OVER alone. The values of the front-most image whose own alpha is above the
  // threshold.
  SORTLAST_RULE_FRONT = 2,
  // The values of the image at which the composited alpha, front to back, first passes the threshold. Every
  // image's values then travel to the last step.
  SORTLAST_RULE_ACCUMULATED = 3
};

// What a pixel holds beside its colour and depth. All ranks pass the same channels, in any order, with the
// same types, widths, rules and backgrounds; only the values are a rank's own. All of it is only read during
// the call.
typedef struct sortlast_channel {
  size_t size;       // sizeof(sortlast_channel)
  const char* name;  // UTF-8, not empty, without '=' and control characters
  int32_t type;      // SORTLAST_CHANNEL_UINT32 or SORTLAST_CHANNEL_FLOAT32
  int32_t width;     // values of a pixel, side by side: 1 or more
  // width values for each pixel of the image, row-major, 4-byte aligned; NULL on a rank without an image.
  const void* values;
  int32_t rule;     // SORTLAST_RULE_AUTOMATIC ...
  float threshold;  // of front and accumulated: an alpha, 0 to below 1
  // `width` values of a pixel behind all images: where nobody drew, and otherwise as the rule has it (blend:
  // behind the composite; front, accumulated: where no image passes the threshold). NULL: 0
  // where nobody drew, and nothing behind other pixels.
  const double* background;
} sortlast_channel;

#define SORTLAST_CHANNEL_INIT \
  {sizeof(sortlast_channel), NULL, SORTLAST_CHANNEL_FLOAT32, 1, NULL, SORTLAST_RULE_AUTOMATIC, 0, NULL}

// A channel's finished values, of the pixels of a tile or of a whole image; valid until that is freed.
typedef struct sortlast_channel_values {
  const char* name;
  int32_t type;   // SORTLAST_CHANNEL_UINT32 or SORTLAST_CHANNEL_FLOAT32
  int32_t width;  // values of a pixel, side by side
  int64_t pixels;
  const void* values;  // NULL if there are no pixels
} sortlast_channel_values;

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

// How many channels were collected with the frame (by sortlast_compositor_gather_channels), and one of them,
// in the order of their names; all zero if there is none of that index. 0 for NULL.
int32_t sortlast_frame_channel_count(const sortlast_frame* frame);
sortlast_channel_values sortlast_frame_channel(const sortlast_frame* frame, int32_t index);

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

// From the boxes that hold the ranks' data: `count` of them, box r being rank r's; they may share faces.
// sortlast_visibility_create of sortlast_mpi.h does so from each rank's own box.
// Errors: ARGUMENT (boxes that overlap, or that cover each other in a cycle, with the ranks named; the boxes
// of a kd-tree or a regular grid never do), MEMORY.
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

// What a schedule is for.
typedef struct sortlast_setting {
  size_t size;           // sizeof(sortlast_setting)
  int64_t n;             // pixels, 0 or more
  int32_t p;             // ranks, 1 or more
  bool commutes;         // the operator commutes (add, max, min), so that the ring may set the merge order
  const int32_t* order;  // the p ranks from front to back; NULL: rank order
  const int32_t* ring;   // the p ranks in communication order; NULL: rank order
} sortlast_setting;

#define SORTLAST_SETTING_INIT {sizeof(sortlast_setting), 0, 1, false, NULL, NULL}

// Make a schedule by the name of its algorithm; NULL: "auto". `setting` must be there; its arrays are copied.
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
