"""The Python package of sortlast for Spack."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PySortlast(PythonPackage):
    """Composites the images of a sort-last parallel renderer over MPI, and predicts how the messages of
    a parallel job behave on a network: schedules, fabric lab, simulators."""

    pypi = "sortlast/sortlast-0.1.0.tar.gz"

    license("BSD-3-Clause")

    # A release adds version("X.Y.Z", sha256="..."), see docs/development/releasing.md.
    version("develop")

    variant("mpi", default=True, description="The compositor; all else needs no MPI")
    variant("cli", default=True, description="The command line")
    variant("plot", default=False, description="Pictures")
    variant("graph", default=False, description="Fabrics as graphs of NetworkX")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-scikit-build-core@1.1:", type="build")
    depends_on("py-nanobind@3.1:", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja@1.11:", type="build")
    depends_on("py-numpy", type="run")
    with when("+mpi"):
        depends_on("mpi")
        depends_on("py-mpi4py@4.1:", type="run")
    with when("+cli"):
        depends_on("py-typer", type="run")
        depends_on("py-rich", type="run")
    depends_on("py-matplotlib", when="+plot", type="run")
    depends_on("py-networkx", when="+graph", type="run")

    import_modules = ["sortlast", "sortlast.fabric", "sortlast.simulate"]

    def config_settings(self, spec, prefix):
        return {"cmake.define.SORTLAST_BUILD_MPI": "ON" if spec.satisfies("+mpi") else "OFF"}
