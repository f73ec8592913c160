# The parts: internal static libraries, of which libraries.cmake makes those that are installed. Tests and Python
# modules link the parts, because these hide nothing.
#
#   sortlast_part_compositing        schedules, images, the serial executor; no MPI
#   sortlast_part_lab                the fabric and the simulators; no MPI
#   sortlast_part_capi               the C interface that needs no MPI, sortlast.h
#   sortlast_part_mpi_<family>       the compositor
#   sortlast_part_capi_mpi_<family>  its C interface, sortlast_mpi.h

# The sources that need MPI, as regular expressions; all others must do without.
set(needs_mpi "src/sortlast/execute/mpi/" "src/sortlast/execute/(compositor(_impl)?|session|[a-z]+_frames)[.]cpp"
              "src/sortlast/tune/(probe|profile)[.]cpp" "capi/mpi/")

file(GLOB_RECURSE sources_without_mpi CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/sortlast/*.cpp capi/*.cpp)
list(FILTER sources_without_mpi EXCLUDE REGEX ^src/sortlast/image/kernels/)  # see kernels.cmake
set(sources_with_mpi ${sources_without_mpi})
list(JOIN needs_mpi "|" needs_mpi)
list(FILTER sources_with_mpi INCLUDE REGEX "^(${needs_mpi})")
list(FILTER sources_without_mpi EXCLUDE REGEX "^(${needs_mpi})")

# sortlast_add_part(NAME SOURCES REGEX LIBRARY...): those of the list SOURCES that match, with what they use.
function(sortlast_add_part name sources regex)
  list(FILTER ${sources} INCLUDE REGEX ${regex})
  add_library(sortlast_part_${name} STATIC ${${sources}})
  target_include_directories(sortlast_part_${name} PUBLIC include src capi)
  target_link_libraries(sortlast_part_${name} PUBLIC ${ARGN} PRIVATE sortlast_flags)
endfunction()

sortlast_add_part(compositing sources_without_mpi "^src/sortlast/([^/]*|(schedule|image|device|content|visibility|execute|tune)/.*)$"
                  Threads::Threads ${CMAKE_DL_LIBS})
sortlast_add_part(lab sources_without_mpi "^src/sortlast/(fabric|simulate)/" sortlast_part_compositing)
sortlast_add_part(capi sources_without_mpi "^capi/" sortlast_part_compositing)
foreach(family IN LISTS families)
  sortlast_add_part(mpi_${family} sources_with_mpi "^src/" sortlast_part_compositing sortlast_mpi_library_${family})
  sortlast_add_part(capi_mpi_${family} sources_with_mpi "^capi/" sortlast_part_mpi_${family} sortlast_part_capi)
  sortlast_list_once(sortlast_part_mpi_${family} ${family})
  sortlast_list_once(sortlast_part_capi_mpi_${family} ${family})
endforeach()
