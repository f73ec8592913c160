// Device kernels: blend any number of images in one pass over memory, with the bits of blend_reference().
//
// The same source is compiled to PTX by Clang in CUDA mode, without a CUDA toolkit (cmake/ptx.sh), and to
// host C++ for the tests. It therefore uses no header of CUDA, and nothing that only one of them has.
// Multiplications and additions must not be contracted: -ffp-contract=off.
//
// Blending is limited by memory, so a thread reads 16 bytes of each image at a time: 4, 8 or 16 scalars,
// depending on the widest scalar of the chain. Narrower images are read 8 or 4 bytes at a time. Accumulated
// values stay in registers. The colours of add, max and min are treated as a flat array of scalars, and the
// depth plane of all operators but closest as another one (Nearest), blended by a second launch. closest
// reads all depths, and then only the colour that it shows.
#pragma once

#include "sortlast/image/device/arguments.hpp"
#include "sortlast/image/device/scalars.hpp"

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif

namespace sortlast::device_kernels {

// ---- Operators ------------------------------------------------------------------------------------
// `unit`: number of scalars that belong together. `ordered`: whether it matters which operand is in front.
// `floats`: whether all planes are float32. empty(): the bits of a scalar of an empty pixel.

struct Over {
  static constexpr int unit = 4;
  static constexpr bool ordered = true;
  static constexpr bool floats = false;
  static Word empty() { return 0; }

  // Sixteen scalars at once are bytes, which make no NaN.
  template <int n>
  static void apply(int, const float (&front)[n], const float (&back)[n], float (&to)[n]) {
    SORTLAST_UNROLL for (int pixel = 0; pixel < n; pixel += 4) {
      const float through = 1.0f - front[pixel + 3];
      SORTLAST_UNROLL for (int i = pixel; i < pixel + 4; ++i) {
        const float sum = front[i] + through * back[i];
        to[i] = n == 16 ? sum : one_nan(sum);
      }
    }
  }
};

// As in Op; the third is min.
inline constexpr int op_add = 2;
inline constexpr int op_max = 3;

// Equal values differ at most in the sign of zero: `and` of the bits gives +0, `or` gives -0.
inline float maximum(float a, float b) {
  const float larger = a > b ? a : (b > a ? b : from_bits(bits(a) & bits(b)));
  return one_nan(a == a ? (b == b ? larger : b) : a);
}
inline float minimum(float a, float b) {
  const float smaller = a < b ? a : (b < a ? b : from_bits(bits(a) | bits(b)));
  return one_nan(a == a ? (b == b ? smaller : b) : a);
}

// add, max and min, on each scalar by itself. One kernel for the three is as fast as three kernels, because
// all threads take the same branch.
struct Each {
  static constexpr int unit = 1;
  static constexpr bool ordered = false;
  static constexpr bool floats = false;
  static Word empty() { return 0; }

  template <int n>
  static void apply(int op, const float (&front)[n], const float (&back)[n], float (&to)[n]) {
    if (op == op_add) {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i) to[i] = one_nan(front[i] + back[i]);
    } else if (op == op_max) {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i) to[i] = maximum(front[i], back[i]);
    } else {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i) to[i] = minimum(front[i], back[i]);
    }
  }
};

// A NaN depth lies behind all others.
inline bool nearer(float depth, float than) { return depth == depth && !(than <= depth); }

struct Nearest {
  static constexpr int unit = 1;
  static constexpr bool ordered = true;
  static constexpr bool floats = true;
  static Word empty() { return infinity; }

  template <int n>
  static void apply(int, const float (&front)[n], const float (&back)[n], float (&to)[n]) {
    SORTLAST_UNROLL for (int i = 0; i < n; ++i) to[i] = nearer(back[i], front[i]) ? back[i] : front[i];
  }
};

// ---- Blending of groups ---------------------------------------------------------------------------

// The bits of scalars [first, first + n) of an image. If `whole`, they are aligned, and all of them are
// stored or none.
template <class Operator, int n, bool whole>
void fetch(const LinkArguments& link, Index first, Word (&words)[group_words<n>]) {
  with_scalar<n, Operator::floats>(link.scalar, [&](auto constant) {
    constexpr int scalar = constant;
    if (first < link.begin || first >= link.end) {
      SORTLAST_UNROLL for (Word& word : words) word = Operator::empty();
    } else if constexpr (whole) {
      load_words<n * scalar_bytes(scalar) / 4>(
          static_cast<const char*>(link.plane) + first * scalar_bytes(scalar), words);
    } else {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i)
          put_scalar<scalar>(words, i, load_one<scalar>(link.plane, first + i));
    }
  });
}

// Put the background behind values, which are first rounded as if they had been stored.
template <class Operator, int n>
void apply_background(const BlendArguments& a, Index first, float (&sum)[n]) {
  with_scalar<n>(a.scalar, [&](auto scalar) {
    SORTLAST_UNROLL for (int i = 0; i < n; ++i) sum[i] = to_float<scalar>(from_float<scalar>(sum[i]));
  });
  int channel = static_cast<int>(a.channels == 4 ? first & 3 : first % 3);
  float behind[n];
  SORTLAST_UNROLL for (int i = 0; i < n; ++i) {
    behind[i] = a.background[channel];
    channel = channel + 1 == a.channels ? 0 : channel + 1;
  }
  Operator::apply(a.op, sum, behind, sum);
}

template <class Operator, int n, bool whole>
void blend_scalars(const BlendArguments& a, Index first) {
  float sum[n];
  SORTLAST_UNROLL for (int i = 0; i < n; ++i) sum[i] = a.absent;

  // Read each image while the previous one is blended.
  Word words[group_words<n>];
  if (a.count > 0) fetch<Operator, n, whole>(a.links[0], first, words);
  for (int k = 0; k < a.count; ++k) {
    float next[n];
    with_scalar<n, Operator::floats>(a.links[k].scalar, [&](auto scalar) {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i) next[i] = to_float<scalar>(scalar_of<scalar>(words, i));
    });
    if (k + 1 < a.count) fetch<Operator, n, whole>(a.links[k + 1], first, words);
    if (k == 0) {
      SORTLAST_UNROLL for (int i = 0; i < n; ++i) sum[i] = next[i];
    } else if (Operator::ordered && a.links[k].in_front != 0) {
      Operator::apply(a.op, next, sum, sum);
    } else {
      Operator::apply(a.op, sum, next, sum);
    }
  }
  if constexpr (!Operator::floats) {
    if (a.has_background != 0) apply_background<Operator, n>(a, first, sum);
  }

  // Round and store.
  with_scalar<n, Operator::floats>(a.scalar, [&](auto constant) {
    constexpr int scalar = constant;
    Word stored[group_words<n>];
    SORTLAST_UNROLL for (int i = 0; i < n; ++i) {
      if constexpr (whole)
        put_scalar<scalar>(stored, i, from_float<scalar>(sum[i]));
      else
        store_one<scalar>(a.plane, first + i, from_float<scalar>(sum[i]));
    }
    if constexpr (whole)
      store_words<n * scalar_bytes(scalar) / 4>(static_cast<char*>(a.plane) + first * scalar_bytes(scalar),
                                                stored);
  });
}

// Whether each image stores all of the scalars [first, first + n) or none.
template <int n>
bool is_whole(const BlendArguments& a, Index first) {
  if (first < 0 || first + n > a.size) return false;
  for (int k = 0; k < a.count && a.all_cover == 0; ++k) {
    const Index begin = a.links[k].begin - first;
    const Index end = a.links[k].end - first;
    if ((begin > 0 && begin < n) || (end > 0 && end < n)) return false;
  }
  return true;
}

// One thread: a group of n scalars. If the planes are not `aligned`, n is the operator's unit.
template <class Operator, int n, bool aligned>
void blend_group(const BlendArguments& a, Index thread) {
  const Index first = thread * n - a.lead;
  if constexpr (aligned) {
    if (is_whole<n>(a, first)) return blend_scalars<Operator, n, true>(a, first);
  }
  for (Index i = first < 0 ? 0 : first; i < first + n && i < a.size; i += Operator::unit)
    blend_scalars<Operator, Operator::unit, false>(a, i);
}

// ---- Closest --------------------------------------------------------------------------------------

inline float depth_of(const BlendArguments& a, int k, Index pixel) {
  const LinkArguments& link = a.links[k];
  const bool stored = pixel >= link.begin && pixel < link.end;
  return stored ? static_cast<const AnyFloat*>(link.depth)[pixel] : from_bits(infinity);
}

// One thread: a pixel, whose colour is copied as `words` words, or scalar by scalar if that is 0.
template <int words>
void blend_closest(const BlendArguments& a, Index pixel) {
  if (pixel >= a.size) return;

  // Find the image that is shown, reading each depth while the previous one is compared.
  float depth = from_bits(infinity);
  int shown = -1;  // none, an empty pixel
  float ahead = a.count > 0 ? depth_of(a, 0, pixel) : depth;
  for (int k = 0; k < a.count; ++k) {
    const float next = ahead;
    if (k + 1 < a.count) ahead = depth_of(a, k + 1, pixel);
    const bool seen = k == 0 || (a.links[k].in_front != 0 ? !nearer(depth, next) : nearer(next, depth));
    depth = seen ? next : depth;
    shown = seen ? k : shown;
  }
  const bool covered = a.has_background != 0 && !nearer(depth, a.background_depth);
  static_cast<AnyFloat*>(a.depth)[pixel] = covered ? a.background_depth : depth;
  const bool empty = shown < 0 || pixel < a.links[shown].begin || pixel >= a.links[shown].end;

  // Copy its colour, or the background's.
  if constexpr (words > 0) {
    const Index at = pixel * words * 4;
    Word colour[words];
    if (covered || empty)
      SORTLAST_UNROLL for (int i = 0; i < words; ++i) colour[i] = covered ? a.background_words[i] : 0;
    else
      load_words<words>(static_cast<const char*>(a.links[shown].plane) + at, colour);
    store_words<words>(static_cast<char*>(a.plane) + at, colour);
  } else {
    with_scalar<4>(a.scalar, [&](auto constant) {
      constexpr int scalar = constant;
      const Index first = pixel * a.channels;
      for (int i = 0; i < a.channels; ++i) {
        Word stored = covered ? scalar_of<scalar>(a.background_words, i) : 0;
        if (!covered && !empty) stored = load_one<scalar>(a.links[shown].plane, first + i);
        store_one<scalar>(a.plane, first + i, stored);
      }
    });
  }
}

// ---- Kernels --------------------------------------------------------------------------------------
// Each name ends with the scalars of a group (closest: with the words of a colour); 0: planes of any
// alignment.

#define SORTLAST_DEVICE_KERNELS(KERNEL)           \
  KERNEL(over_0, blend_group<Over, 4, false>)     \
  KERNEL(over_4, blend_group<Over, 4, true>)      \
  KERNEL(over_8, blend_group<Over, 8, true>)      \
  KERNEL(over_16, blend_group<Over, 16, true>)    \
  KERNEL(each_0, blend_group<Each, 1, false>)     \
  KERNEL(each_4, blend_group<Each, 4, true>)      \
  KERNEL(each_8, blend_group<Each, 8, true>)      \
  KERNEL(each_16, blend_group<Each, 16, true>)    \
  KERNEL(depth_0, blend_group<Nearest, 1, false>) \
  KERNEL(depth_4, blend_group<Nearest, 4, true>)  \
  KERNEL(closest_0, blend_closest<0>)             \
  KERNEL(closest_1, blend_closest<1>)             \
  KERNEL(closest_2, blend_closest<2>)             \
  KERNEL(closest_4, blend_closest<4>)

}  // namespace sortlast::device_kernels

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end

#define SORTLAST_KERNEL(name, ...)                                                                \
  extern "C" __attribute__((global)) void sortlast_##name(                                        \
      const sortlast::device_kernels::BlendArguments arguments) {                                 \
    using namespace sortlast::device_kernels;                                                     \
    const Index block = __nvvm_read_ptx_sreg_ctaid_x();                                           \
    __VA_ARGS__(arguments, block * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x()); \
  }
SORTLAST_DEVICE_KERNELS(SORTLAST_KERNEL)
#endif
