# IceT's interface over the compositor, to be put in its place: one shared library for each family of MPI, which needs
# nothing but the MPI, under the names of IceT's own libraries.
option(SORTLAST_BUILD_ICET "Build libraries with IceT's interface, to be put in its place" OFF)
if(NOT SORTLAST_BUILD_ICET)
  return()
endif()

file(GLOB icet_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/icet/src/*.cpp)

# The names under which programs look for it: those of IceT's own libraries and of the copies that ParaView brings along.
set(icet_names libIceTCore.so libIceTMPI.so libIceTGL.so libIceTGL3.so)
foreach(version IN ITEMS 5.9 5.10 5.11 5.12 5.13 6.0 6.1 6.2)
  foreach(part IN ITEMS Core MPI GL)
    list(APPEND icet_names libvtkIceT${part}-pv${version}.so.1)
  endforeach()
endforeach()

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
  sortlast_list_once(${target} ${family})
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

# Installed in a folder of each family that can be put on LD_LIBRARY_PATH.
if(SORTLAST_INSTALL)
  set(icet_component COMPONENT icet)
  if(SKBUILD)
    list(APPEND icet_component EXCLUDE_FROM_ALL)
  endif()
  foreach(family IN LISTS families)
    set(destination ${CMAKE_INSTALL_LIBDIR}/sortlast/icet/${family})
    install(TARGETS sortlast_icet_${family} LIBRARY DESTINATION ${destination} ${icet_component})
    list(TRANSFORM icet_names PREPEND ${PROJECT_BINARY_DIR}/icet/${family}/ OUTPUT_VARIABLE links)
    install(FILES ${links} DESTINATION ${destination} ${icet_component})
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/icet/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sortlast/icet
          ${icet_component} FILES_MATCHING PATTERN "*.h")
endif()
