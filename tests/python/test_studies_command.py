"""``sortlast study``: what it prints, and what it refuses."""

from __future__ import annotations

import pytest

import invented_study
from sortlast import ArgumentError
from sortlast_studies import NAMES, command, package
from sortlast_studies import study as studies


@pytest.fixture
def invented(tmp_path):
    with invented_study.made(tmp_path) as study:
        yield study


def printed(capsys, study, folder, **options):
    command.run(study, folder, quick=False, workers=1, **options)
    return capsys.readouterr().out.splitlines()


def test_a_study_prints_title_summary_verdicts_and_files(invented, tmp_path, capsys):
    out = tmp_path / "out"
    assert [line.strip() for line in printed(capsys, invented, out)] == [
        "A <study>",
        "",
        "• Question. Are names short?",
        "• Result. 2 names.",
        "• Limits. 2 claims.",
        "",
        "claims: 1 refuted, 1 undecided",
        f"wrote {out}: report.md, report.html, invented.json, invented.csv; "
        "pictures (png, svg, pdf): figure-1",
    ]
    assert all((out / f"figure-1.{suffix}").exists() for suffix in ("png", "svg", "pdf"))


@pytest.mark.parametrize("full", [False, True])
def test_all_studies_are_told_with_what_did_not_agree(cli, invented, tmp_path, monkeypatch, full):
    monkeypatch.setattr(command, "NAMES", ["invented"])
    monkeypatch.setattr(studies, "load", lambda name: invented)
    out = tmp_path / "all"
    status, printed, error = cli("study", "all", "--output", out, *["--full"][:full])
    assert (status, error) == (0, "")
    assert "claims: 1 refuted, 1 undecided" in printed
    assert "What did not agree" in printed
    assert "it is a photograph" in " ".join(printed.split())
    assert ("Every table and figure" in printed) is full
    assert "What did not agree" in (out / "overview.md").read_text()
    assert "What did not agree" in (out / "overview.html").read_text()


def test_the_testbed_is_a_package_of_its_own(cli, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    status, _, error = cli("study", "made-routes", "--testbed", "--output", tmp_path / "out")
    assert status == 2
    assert "--testbed needs the package sortlast-testbed: pip install ./testbed" in error
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope",), "study is 'nope'; expected shift-based, radix-k, "),
        (("taper", "--testbed"), "the study taper has no --testbed; studies that take it: all-to-all, hard"),
        (("all", "--ranks", "4"), "--ranks is for one study; name it instead of all"),
        (("all", "--from", "table.csv"), "--from is for one study; name it instead of all"),
    ],
)
def test_a_study_refuses_what_it_cannot_do(cli, tmp_path, arguments, message):
    status, _, error = cli("study", *arguments, "--output", tmp_path / "out")
    assert status == 2
    assert message in error
    assert not [*tmp_path.iterdir()]


def test_the_help_names_every_study(cli):
    status, out, _ = cli("study", "--help")
    assert status == 0
    assert all(name in out for name in (*NAMES, "all"))


# --- values beyond those of the papers ----------------------------------------------------------------


PARAMETERS = {name: getattr(package(name), "PARAMETERS", ()) for name in NAMES}


@pytest.mark.parametrize("option", ["ranks", "sizes"])
@pytest.mark.parametrize("name", NAMES)
def test_a_study_that_has_no_parameter_says_which_have(cli, tmp_path, name, option):
    if option in PARAMETERS[name]:
        pytest.skip("has it")
    value = {"ranks": "4,8", "sizes": "1024x1024"}[option]
    status, _, error = cli("study", name, f"--{option}", value, "--output", tmp_path / "out")
    able = [other for other in NAMES if option in PARAMETERS[other]]
    assert status == 2
    assert f"the study {name} has the {option} of its paper alone" in " ".join(error.split())
    assert all(other in error for other in able)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def extended(monkeypatch, invented):
    """Shift-based in the invented study's place: it notes the parameters that it is made with."""
    made = []

    def make(**parameters):
        made.append(parameters)
        return invented

    monkeypatch.setattr(package("shift-based"), "PARAMETERS", ("ranks", "sizes"), raising=False)
    monkeypatch.setattr(package("shift-based"), "SIZE_UNIT", "pixel", raising=False)
    monkeypatch.setattr("sortlast_studies.shift_based.study.make", make, raising=False)
    return made


def test_a_study_is_made_with_the_parameters_that_it_names(cli, tmp_path, extended):
    given = ("--ranks", "4,8", "--sizes", "1024x512,64x64", "--output", tmp_path / "out")
    status, out, error = cli("study", "shift-based", *given)
    assert (status, error) == (0, "")
    assert extended == [{"ranks": [4, 8], "sizes": [1024 * 512, 64 * 64]}]
    assert "A <study>" in out


@pytest.mark.parametrize(
    ("unit", "sizes", "expected"),
    [
        ("pixel", "64x32", [2048]),
        ("edge", "64x64,1024x1024", [64, 1024]),
        ("edge", "64x32", "this study takes square images"),
        ("megapixel", "1024x1024,4096x512", [1, 2]),
        ("megapixel", "1000x1000", "this study takes whole megapixels"),
    ],
)
def test_sizes_of_images_are_told_in_the_studys_unit(
    cli, tmp_path, extended, monkeypatch, unit, sizes, expected
):
    monkeypatch.setattr(package("shift-based"), "SIZE_UNIT", unit)
    status, _, error = cli("study", "shift-based", "--sizes", sizes, "--output", tmp_path / "out")
    if isinstance(expected, str):
        assert (status, extended) == (2, [])
        assert expected in " ".join(error.split())
    else:
        assert (status, extended) == (0, [{"sizes": expected}])


def test_a_parameter_alone_leaves_the_other_to_the_study(extended):
    studies.load("shift-based", sizes=[64])
    assert extended == [{"sizes": [64]}]
    assert studies.load("taper").name == "taper"
    with pytest.raises(ArgumentError, match="the study taper has the ranks of its paper alone; studies"):
        studies.load("taper", ranks=[4])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--ranks", "4,zero"), "is not a list of whole numbers"),
        (("--ranks", "4,0"), "--ranks: 0 is too few; each must be at least 1"),
        (("--ranks", "4,8,4"), "--ranks: a value stands there twice"),
        (("--sizes", "1024"), "is not WIDTHxHEIGHT"),
        (("--sizes", "64x0"), "--sizes: 0 is too few"),
        (("--ranks", "4", "--from", "table.csv"), "--from draws what its table holds; leave --ranks out"),
    ],
)
def test_values_that_cannot_be_are_refused_before_anything_runs(cli, tmp_path, extended, options, message):
    status, _, error = cli("study", "shift-based", *options, "--output", tmp_path / "out")
    assert status == 2
    assert message in " ".join(error.split())
    assert extended == []
    assert not (tmp_path / "out").exists()
