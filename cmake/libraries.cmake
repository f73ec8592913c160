# The installed libraries, made of the parts: sortlast::core, which needs no MPI, and for each family sortlast::mpi,
# whose file name tells the family, so that one prefix can hold both. Within a build for both, sortlast::mpi is that of
# the first family, and each is called sortlast::mpi_<family> too.

# Public headers, and which of them need MPI.
file(GLOB_RECURSE core_headers CONFIGURE_DEPENDS include/sortlast/*.hpp)
set(mpi_headers ${core_headers})
list(FILTER mpi_headers INCLUDE REGEX "/sortlast/(compositor|tune)[.]hpp$")
list(FILTER core_headers EXCLUDE REGEX "/sortlast/(compositor|tune)[.]hpp$")
list(APPEND core_headers ${PROJECT_SOURCE_DIR}/capi/sortlast.h)
list(APPEND mpi_headers ${PROJECT_SOURCE_DIR}/capi/sortlast_mpi.h)

# What all libraries have in common. A shared one shows what sortlast.map lists, and finds core beside itself.
function(sortlast_finish_library target export_name headers)
  set(shown ${PROJECT_SOURCE_DIR}/cmake/sortlast.map)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${export_name} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN LINK_DEPENDS ${shown}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS FILES ${${headers}}
                           BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/capi)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sortlast_flags>)
  target_link_options(${target} PRIVATE LINKER:--version-script=${shown} LINKER:--no-undefined)
endfunction()

# Objects of the parts.
function(sortlast_objects result)
  list(TRANSFORM ARGN REPLACE .+ $<TARGET_OBJECTS:\\0>)
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

# sortlast_add_libraries(KIND SUFFIX): sortlast_core<SUFFIX>, and for each family sortlast_mpi_<family><SUFFIX>, of KIND
# (STATIC or SHARED).
function(sortlast_add_libraries kind suffix)
  set(core sortlast_core${suffix})
  sortlast_objects(objects sortlast_part_compositing ${sortlast_kernels} sortlast_part_lab sortlast_part_capi)
  add_library(${core} ${kind} ${objects})
  target_link_libraries(${core} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${core} PROPERTIES OUTPUT_NAME sortlast_core)
  sortlast_finish_library(${core} core core_headers)
  foreach(family IN LISTS families)
    sortlast_add_mpi_library(${kind} sortlast_mpi_${family}${suffix} ${family} ${core})
  endforeach()
endfunction()

function(sortlast_add_mpi_library kind mpi family core)
  sortlast_objects(objects sortlast_part_mpi_${family} sortlast_part_capi_mpi_${family})
  add_library(${mpi} ${kind} ${objects})
  set_target_properties(${mpi} PROPERTIES OUTPUT_NAME sortlast_${family})
  # Users get the MPI of their own find_package; a project without C finds that of C++.
  target_link_libraries(${mpi} PUBLIC ${core} $<BUILD_INTERFACE:sortlast_mpi_library_${family}>
                               $<INSTALL_INTERFACE:$<IF:$<TARGET_EXISTS:MPI::MPI_C>,MPI::MPI_C,MPI::MPI_CXX>>)
  target_compile_definitions(${mpi} INTERFACE $<INSTALL_INTERFACE:OMPI_SKIP_MPICXX>
                                              $<INSTALL_INTERFACE:MPICH_SKIP_MPICXX>)
  if(kind STREQUAL SHARED)
    # The core library hides what is not public; what the compositor uses of that it holds once more, hidden too.
    set(inside sortlast_part_capi sortlast_part_compositing)
    foreach(part IN LISTS inside)
      target_link_libraries(${mpi} PRIVATE $<BUILD_INTERFACE:${part}>)
      target_link_options(${mpi} PRIVATE LINKER:--exclude-libs,$<TARGET_FILE_NAME:${part}>)
    endforeach()
  endif()
  sortlast_finish_library(${mpi} mpi mpi_headers)
endfunction()

set(kind STATIC)
if(BUILD_SHARED_LIBS)
  set(kind SHARED)
endif()
sortlast_add_libraries(${kind} "")
add_library(sortlast::core ALIAS sortlast_core)
foreach(family IN LISTS families)
  add_library(sortlast::mpi_${family} ALIAS sortlast_mpi_${family})
endforeach()
if(families)
  add_library(sortlast::mpi ALIAS sortlast_mpi_${first_family})
endif()
