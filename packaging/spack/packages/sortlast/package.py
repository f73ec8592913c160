"""The C and C++ libraries of sortlast for Spack."""

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Sortlast(CMakePackage):
    """Composites the images of a sort-last parallel renderer over MPI, and predicts how the messages of
    a parallel job behave on a network: schedules, fabric lab, simulators."""

    url = "https://files.pythonhosted.org/packages/source/s/sortlast/sortlast-0.1.0.tar.gz"

    license("BSD-3-Clause")

    # A release adds version("X.Y.Z", sha256="..."), see docs/development/releasing.md.
    version("develop")

    variant("mpi", default=True, description="The compositor; all else needs no MPI")
    variant("shared", default=False, description="Shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi", when="+mpi")

    conflicts("%gcc@:11", msg="sortlast is tested with GCC 12 and later, as it needs C++20")

    def cmake_args(self):
        return [
            self.define_from_variant("SORTLAST_BUILD_MPI", "mpi"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("SORTLAST_BUILD_TESTS", False),
        ]
