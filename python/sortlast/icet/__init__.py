"""The installed programs that composite with IceT, and the libraries that stand in its place.

What a program would load is found as the loader finds it, without starting anything: its ELF files are read
(:mod:`~sortlast.icet.elf`), the libraries that it needs are followed (:mod:`~sortlast.icet.loader`), and
those among them that need IceT make a :class:`~sortlast.icet.program.Program`. Our library is found by
:mod:`~sortlast.icet.libraries`.
"""
