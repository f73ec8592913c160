// The tests of IceT's interface; each file has those of one topic. All of them are collective.
#ifndef SORTLAST_TESTS_ICET_TESTS_H
#define SORTLAST_TESTS_ICET_TESTS_H

// X(test): each is run by its name, or all in this order.
#define ICET_TESTS(X)           \
  X(without_context)            \
  X(communicator)               \
  X(context_of_some_ranks)      \
  X(wrong_communicators)        \
  X(contexts)                   \
  X(copied_state)               \
  X(state_of_more_ranks)        \
  X(contexts_that_do_not_exist) \
  X(diagnostics)                \
  X(remembered_errors)          \
  X(pictures)                   \
  X(one_pixel)                  \
  X(strategies)                 \
  X(no_strategy)                \
  X(left_images)                \
  X(left_images_of_tiles)       \
  X(given_images)               \
  X(given_images_with_bounds)   \
  X(wrong_given_images)         \
  X(tiles)                      \
  X(empty_tiles)                \
  X(wrong_tiles)                \
  X(differing_ranks)            \
  X(differing_calls)            \
  X(faults_of_one_rank)         \
  X(wrong_viewports)            \
  X(no_memory_on_one_rank)      \
  X(differing_backgrounds)      \
  X(differing_groups)           \
  X(differing_collectives)      \
  X(long_differences)           \
  X(misbehaving_callback)       \
  X(images_that_have_ended)     \
  X(contexts_in_a_callback)     \
  X(tiles_after_a_frame)        \
  X(extreme_sizes)              \
  X(no_memory_for_the_picture)  \
  X(no_memory_to_collect)       \
  X(state)                      \
  X(wrong_queries)              \
  X(enabled)                    \
  X(wrong_settings)             \
  X(images)                     \
  X(picture_is_the_programs)    \
  X(null_image)                 \
  X(odd_colours)                \
  X(projection)                 \
  X(bounding_vertices)          \
  X(bounds_without_perspective) \
  X(bounds_at_edges)            \
  X(bounds_in_perspective)      \
  X(replication)                \
  X(wrong_groups)               \
  X(algorithm_of_environment)   \
  X(radix_of_environment)       \
  X(wrong_timeout)              \
  X(gl_without_opengl)          \
  X(gl3_without_opengl)         \
  X(gl)                         \
  X(gl_without_window)          \
  X(gl_in_callback)             \
  X(gl_in_large_window)         \
  X(gl_over_background)         \
  X(gl3)

// Run by their names alone: their ranks sleep most of the time, or make very many calls, or end the program.
#define ICET_SLOW_TESTS(X) \
  X(missing_ranks)         \
  X(slow_ranks)            \
  X(late_failures)         \
  X(traced_contexts)       \
  X(traced_end)            \
  X(storm)                 \
  X(storm_of_ranks)

#define DECLARE(test) void test_##test(void);
ICET_TESTS(DECLARE)
ICET_SLOW_TESTS(DECLARE)
#undef DECLARE

#endif
