# IceT's interface over the compositor, to be put in its place: one shared library for each family of MPI, which needs
# nothing but the MPI, under the names of IceT's own libraries.
option(SORTLAST_BUILD_ICET "Build libraries with IceT's interface, to be put in its place" OFF)
if(NOT SORTLAST_BUILD_ICET)
  return()
endif()

file(GLOB icet_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/icet/src/*.cpp)
set(icet_names libIceTCore.so libIceTMPI.so libIceTGL.so libIceTGL3.so)

# sortlast_add_icet(FAMILY): the target sortlast_icet_FAMILY, in a folder of its own with links of IceT's names to it.
function(sortlast_add_icet family)
  set(target sortlast_icet_${family})
  set(folder ${PROJECT_BINARY_DIR}/icet/${family})
  set(shown ${PROJECT_SOURCE_DIR}/icet/icet.map)
  add_library(${target} SHARED ${icet_sources})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/icet/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/sortlast/icet>)
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:sortlast_mpi_library_${family}>
                                  PRIVATE $<BUILD_INTERFACE:sortlast_part_mpi_${family}>
                                          $<BUILD_INTERFACE:sortlast_flags> ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE LINKER:--version-script=${shown} LINKER:--no-undefined)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${folder} LINK_DEPENDS ${shown}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  foreach(name IN LISTS icet_names)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
                       COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:${target}> ${folder}/${name})
  endforeach()
endfunction()

foreach(family IN LISTS families)
  sortlast_add_icet(${family})
endforeach()
