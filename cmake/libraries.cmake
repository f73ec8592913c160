# The installed libraries, made of the parts: sortlast::core, which needs no MPI, and sortlast::mpi, whose file name
# tells the family of its MPI, so that one prefix can hold both.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Public headers, and which of them need MPI.
file(GLOB_RECURSE core_headers CONFIGURE_DEPENDS include/sortlast/*.hpp)
set(mpi_headers ${core_headers})
list(FILTER mpi_headers INCLUDE REGEX "/sortlast/(compositor|tune)[.]hpp$")
list(FILTER core_headers EXCLUDE REGEX "/sortlast/(compositor|tune)[.]hpp$")
if(EXISTS ${PROJECT_SOURCE_DIR}/capi/sortlast_mpi.h)
  list(APPEND core_headers ${PROJECT_SOURCE_DIR}/capi/sortlast.h)
  list(APPEND mpi_headers ${PROJECT_SOURCE_DIR}/capi/sortlast_mpi.h)
else()
  list(APPEND mpi_headers ${PROJECT_SOURCE_DIR}/capi/sortlast.h)
endif()

# What both libraries have in common. A shared one shows what sortlast.map lists, and finds the other beside itself.
function(sortlast_finish_library target export_name headers)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${export_name} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/sortlast.map
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/capi
                           FILES ${${headers}})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sortlast_flags>)
  target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/sortlast.map LINKER:--no-undefined)
endfunction()

# Objects of the parts.
function(sortlast_objects result)
  list(TRANSFORM ARGN REPLACE .+ $<TARGET_OBJECTS:\\0>)
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

# sortlast_add_libraries(KIND SUFFIX): sortlast_core<SUFFIX> and sortlast_mpi<SUFFIX>, of KIND (STATIC or SHARED).
function(sortlast_add_libraries kind suffix)
  set(core sortlast_core${suffix})
  set(parts sortlast_part_compositing ${sortlast_kernels} sortlast_part_lab)
  if(EXISTS ${PROJECT_SOURCE_DIR}/capi/sortlast_mpi.h)
    list(APPEND parts sortlast_part_capi)
  endif()
  sortlast_objects(objects ${parts})
  add_library(${core} ${kind} ${objects})
  target_link_libraries(${core} PRIVATE Threads::Threads)
  set_target_properties(${core} PROPERTIES OUTPUT_NAME sortlast_core)
  sortlast_finish_library(${core} core core_headers)
  if(NOT SORTLAST_BUILD_MPI)
    return()
  endif()

  set(mpi sortlast_mpi${suffix})
  set(parts sortlast_part_mpi sortlast_part_capi_mpi)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/capi/sortlast_mpi.h)
    list(APPEND parts sortlast_part_capi)
  endif()
  sortlast_objects(objects ${parts})
  add_library(${mpi} ${kind} ${objects})
  set_target_properties(${mpi} PROPERTIES OUTPUT_NAME sortlast_${family})
  # Users get the MPI of their own find_package; a project without C finds that of C++.
  target_link_libraries(${mpi} PUBLIC ${core} $<BUILD_INTERFACE:sortlast_mpi_library>
                               $<INSTALL_INTERFACE:$<IF:$<TARGET_EXISTS:MPI::MPI_C>,MPI::MPI_C,MPI::MPI_CXX>>)
  target_compile_definitions(${mpi} INTERFACE $<INSTALL_INTERFACE:OMPI_SKIP_MPICXX> $<INSTALL_INTERFACE:MPICH_SKIP_MPICXX>)
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

# sortlast_install_libraries(SUFFIX COMPONENT [EXCLUDE_FROM_ALL]): with headers, package and pkg-config files.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sortlast)
function(sortlast_install_libraries suffix)
  set(component COMPONENT ${ARGN})
  foreach(library IN ITEMS core mpi)
    if(NOT TARGET sortlast_${library}${suffix})
      continue()
    endif()
    set(name core)
    set(pkg_config sortlast)
    if(library STREQUAL mpi)
      set(name ${family})
      set(pkg_config sortlast-${family})
    endif()
    install(TARGETS sortlast_${library}${suffix} EXPORT sortlast_${library}${suffix}_targets
            ARCHIVE ${component} LIBRARY ${component} FILE_SET HEADERS ${component})
    install(EXPORT sortlast_${library}${suffix}_targets NAMESPACE sortlast:: FILE sortlast-${name}-targets.cmake
            DESTINATION ${package_folder} ${component})
    sortlast_pkg_config(${pkg_config} ${library} sortlast_${library}${suffix} ${component})
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/sortlast-config.cmake ${PROJECT_BINARY_DIR}/sortlast-config-version.cmake
                ${PROJECT_SOURCE_DIR}/cmake/sortlast-mpi-family.cmake
          DESTINATION ${package_folder} ${component})
endfunction()

# sortlast_pkg_config(NAME LIBRARY TARGET COMPONENT...): NAME.pc, which finds its prefix from where it lies.
function(sortlast_pkg_config name library target)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(requires)
  set(cflags)
  set(description "${PROJECT_DESCRIPTION}: all that needs no MPI")
  if(library STREQUAL mpi)
    set(requires sortlast)
    set(cflags " -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX")
    set(description "${PROJECT_DESCRIPTION}: the compositor\; compile with the mpicc or mpicxx of ${family}")
  endif()
  # A program in C names what a static library in C++ needs.
  get_target_property(type ${target} TYPE)
  set(libraries)
  if(type STREQUAL STATIC_LIBRARY)
    set(libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(REMOVE_ITEM libraries ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
    list(TRANSFORM libraries PREPEND " -l")
    list(JOIN libraries "" libraries)
    string(APPEND libraries " -pthread")
  endif()
  get_target_property(output ${target} OUTPUT_NAME)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sortlast.pc.in ${target}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig RENAME ${name}.pc ${ARGN})
endfunction()

set(kind STATIC)
if(BUILD_SHARED_LIBS)
  set(kind SHARED)
endif()
sortlast_add_libraries(${kind} "")
add_library(sortlast::core ALIAS sortlast_core)
if(SORTLAST_BUILD_MPI)
  add_library(sortlast::mpi ALIAS sortlast_mpi)
endif()

if(SORTLAST_INSTALL)
  configure_package_config_file(cmake/sortlast-config.cmake.in sortlast-config.cmake INSTALL_DESTINATION ${package_folder})
  write_basic_package_version_file(sortlast-config-version.cmake COMPATIBILITY SameMinorVersion)
  # The component `development` stays out of a Python package, but can be installed from that build too.
  if(SKBUILD)
    sortlast_install_libraries("" development EXCLUDE_FROM_ALL)
  else()
    sortlast_install_libraries("" development)
  endif()
endif()
