"""A process of the program's own runs the package that the program runs."""

import subprocess

import pytest

import guiapp
from guiapp.core.demo import demo_model_path
from guiapp.core.system.processes import ApartError, answer_of, command_of, environment
from guiapp.core.tree.trials import TrialError, unreached, unreached_apart


def test_a_package_of_the_same_name_in_the_present_folder_is_not_taken(tmp_path):
    (tmp_path / "guiapp").mkdir()
    (tmp_path / "guiapp" / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    command = [*command_of("guiapp"), "--version"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert ran.stdout.split() == ["tokenloupe", guiapp.__version__]


def never_stop(share):
    """Somebody who goes on waiting."""


class NobodyWaitsError(Exception):
    """Raised in place of an answer that nobody wants any more."""


def test_a_trial_in_a_process_of_its_own_finds_the_same():
    tokenizer = guiapp.open_model(demo_model_path("bpe"))
    here, apart = unreached(tokenizer, never_stop), unreached_apart(tokenizer, never_stop)
    assert apart.tolist() == here.tolist() != []


def test_a_model_that_is_gone_is_said(tmp_path):
    path = tmp_path / "gone.gguf"
    path.write_bytes(demo_model_path("bpe").read_bytes())
    tokenizer = guiapp.open_model(path)
    path.unlink()
    with pytest.raises(TrialError, match=r"gone\.gguf"):
        unreached_apart(tokenizer, never_stop)


def test_a_process_that_nobody_waits_for_is_ended():
    def stop(share):
        raise NobodyWaitsError

    with pytest.raises(NobodyWaitsError):
        answer_of("guiapp.core.tree.trials", b"", stop)
    with pytest.raises(ApartError, match="JSONDecodeError"):
        answer_of("guiapp.core.tree.trials", b"", never_stop)
