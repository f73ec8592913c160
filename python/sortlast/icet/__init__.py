"""Installed programs that composite with IceT, and the libraries that replace it.

The libraries that a program would load are found like in the loader, without starting anything: its ELF files
are read (:mod:`~sortlast.icet.elf`), and their dependencies are followed (:mod:`~sortlast.icet.loader`).
The files that need IceT make a :class:`~sortlast.icet.program.Program`. Our library is found by
:mod:`~sortlast.icet.libraries`.
"""
