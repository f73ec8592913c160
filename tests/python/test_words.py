"""One word for one thing: public names of C++, C and Python are made of the words of the page of notation.

The page has a table for each set of options and values that the interfaces share; a table names exactly the
members that the headers and sources have, and those of a row are the same word. All is read as text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "notation.md").read_text()
PACKAGE = ROOT / "python" / "sortlast"
CPP, C = "include/sortlast/**/*.hpp", "capi/*.h"
IN_CODE = re.compile(r"`([^`]+)`")

# --- C++ and C ----------------------------------------------------------------------------------------


@cache
def headers(pattern: str) -> str:
    """Headers without comments, directives, private parts and bodies of functions."""
    text = "\n".join(path.read_text() for path in sorted(ROOT.glob(pattern)))
    text = re.sub(r"//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    text = re.sub(r"namespace detail \{.*?(?=\n\})|\n private:.*?(?=\n\})", "", text, flags=re.S)
    return re.sub(r"(\)(?: const)?(?: noexcept)?) \{(?:[^{}]|\{[^{}]*\})*\}", r"\1;", text)


def members(text: str, name: str) -> list[str]:
    """The public data members of a struct."""
    found = re.search(rf"\b(?:struct|class) (?:SORTLAST_API )?{name}\b[^;{{]*\{{(.*?)\n\}}", text, re.S)
    assert found, f"no header has a struct {name}"
    body = re.sub(r"\n  struct.*?\n  \};|bool operator==[^;]*;|<[^;]*>", "", found[1], flags=re.S)
    names = []
    for declaration in body.split(";"):
        if pointer := re.search(r"\(\*(\w+)\)", declaration):
            names.append(pointer[1])
            continue
        for part in re.sub(r"=[^;]*", "", re.sub(r"= [^,;]*,", ",", declaration)).split(","):
            if plain := re.fullmatch(r"\s*(?:[\w:*]+[\s*]+)*(\w+)(?:\{\}|\[\w+\])?\s*", part):
                names.append(plain[1])
    return names


def c_names() -> Iterator[str]:
    text = headers(C)
    yield from re.findall(r"\bsortlast_\w+|\bSORTLAST_\w+", text)
    for name in re.findall(r"typedef struct (\w+) \{", text):
        yield from members(text, name)


def cpp_names() -> Iterator[str]:
    text = headers(CPP)
    structs = re.findall(r"^(?:struct|class) (?:SORTLAST_API )?(\w+)[^;{]*\{", text, re.M)
    yield from structs
    yield from re.findall(r"\busing (\w+) =", text)
    for enum, values in re.findall(r"enum class (\w+)[^{]*\{([^}]*)\}", text):
        yield from (enum, *re.findall(r"\w+", values))
    yield from (name for name in re.findall(r"(?<=[\w>&*] )(\w+)\(", text) if name != "operator")
    for name in structs:
        yield from (member for member in members(text, name) if not member.endswith("_"))


# --- Python -------------------------------------------------------------------------------------------


@cache
def modules() -> dict[str, ast.Module]:
    """What users import: module -> its tree; of extension modules the stubs, of packages what they show."""
    files = [PACKAGE / f"{part}.pyi" for part in ("_core", "_fabric", "_simulate")]
    files += [
        PACKAGE / f"{part}.py"
        for part in ("_errors", "compositor", "protocols", "serial", "trace", "tune", "visibility")
    ]
    for package in ("fabric", "simulate"):
        shows = (PACKAGE / package / "__init__.py").read_text()
        parts = re.findall(rf"from sortlast\.{package}\.(\w+) import", shows)
        files += [PACKAGE / package / f"{part}.py" for part in parts]
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text()) for path in files}


def children(tree: ast.Module | ast.ClassDef) -> dict[str, ast.stmt]:
    """The public classes, functions and fields of a module or class, and the constructor, by name."""
    found: dict[str, ast.stmt] = {}
    for each in tree.body:
        name = each.target.id if isinstance(each, ast.AnnAssign) else getattr(each, "name", "_")
        if not name.startswith("_") or name == "__init__":
            found[name] = each
    return found


def python_members(tree: ast.stmt) -> list[str]:
    """Parameters of a function; of a class those of its constructor, or its fields and properties."""
    if isinstance(tree, ast.FunctionDef):
        every = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
        return [each.arg for each in every if each.arg not in ("self", "arg")]
    parts = children(tree)
    if "__init__" in parts:
        return python_members(parts["__init__"])
    methods = {name for name, part in parts.items() if isinstance(part, ast.FunctionDef)}
    return [name for name, part in parts.items() if name not in methods or part.decorator_list]


def python_tree(name: str) -> ast.stmt:
    """The class or function of a name such as Timing, Compositor.composite or fabric.route."""
    package, _, rest = name.partition(".")
    inside = package if package in ("fabric", "simulate", "tune") else ""
    first, *more = (rest if inside else name).split(".")
    for module, tree in modules().items():
        if module.startswith(inside) and first in children(tree):
            found = children(tree)[first]
            return children(found)[more[0]] if more else found
    raise AssertionError(f"no module has {name}")


def python_names() -> Iterator[str]:
    for tree in modules().values():
        for name, top in children(tree).items():
            yield from (name, *python_members(top))
            for inner, part in children(top).items() if isinstance(top, ast.ClassDef) else ():
                if isinstance(part, ast.FunctionDef) and inner != "__init__":
                    yield from (inner, *python_members(part))


# --- The page -----------------------------------------------------------------------------------------

NAMES = {"C++": cpp_names, "C": c_names, "Python": python_names}


def rows(text: str) -> list[list[str]]:
    """The cells of all lines of tables."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


def words(name: str) -> list[str]:
    """The words of a name, such as "tune" and "options" of TuneOptions and of sortlast_tune_options."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def forms(word: str) -> set[str]:
    """A word, and what it may be the plural of."""
    return {word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}


TERMS, _, SAME = PAGE.partition("## The same in C++, C and Python")
SAME, _, OTHERS = SAME.partition("## Other words in names")
KNOWN = {word for row in rows(TERMS) for word in words(row[0])}
OTHER = OTHERS.strip().rpartition("\n\n")[2].replace("\n", " ").rstrip(".").split(", ")


@pytest.mark.parametrize("language", NAMES)
def test_public_names_are_made_of_words_of_the_glossary(language):
    known = KNOWN | {*OTHER}
    strange = {name: word for name in NAMES[language]() for word in words(name) if not forms(word) & known}
    assert not strange, "words that docs/reference/notation.md does not have; it has a word for each thing"


def test_the_list_of_other_words_has_those_that_names_use_and_no_more():
    every = {word for names in NAMES.values() for name in names() for word in words(name)}
    used = {form for word in every for form in forms(word)}
    assert not [word for word in OTHER if word not in used or forms(word) & KNOWN]
    assert sorted({*OTHER}) == OTHER


SECTIONS = SAME.split("\n### ")


@pytest.mark.parametrize("section", SECTIONS[1:], ids=lambda section: section.partition("\n")[0])
def test_options_and_values_have_the_words_of_their_table(section):
    types = dict(re.findall(r"(C\+\+|C|Python) `([\w.]+)`[,.]", section))
    table: dict[str, set[str]] = {language: set() for language in types}
    for word, where, _ in rows(section)[1:]:
        for language in types if where == "all" else where.split(", "):
            table[language].update(IN_CODE.findall(word))
    sources = {
        "C++": lambda name: members(headers(CPP), name),
        "C": lambda name: members(headers(C), name),
        "Python": lambda name: python_members(python_tree(name)),
    }
    assert table == {language: {*sources[language](name)} for language, name in types.items()}


def test_what_the_table_of_the_three_languages_names_is_there():
    head, *table = rows(SECTIONS[0])
    for column, language in enumerate(head[1:], 1):
        named = {name for row in table for name in IN_CODE.findall(row[column])} - {"std::bad_alloc"}
        assert named
        assert named <= {*NAMES[language]()}
