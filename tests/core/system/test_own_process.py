"""A process of the program's own runs the package that the program runs."""

from __future__ import annotations

import subprocess

import guiapp
from guiapp.core.system.own_process import command_of, environment


def test_a_package_of_the_same_name_in_the_present_folder_is_not_taken(tmp_path):
    (tmp_path / "guiapp").mkdir()
    (tmp_path / "guiapp" / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    command = [*command_of("guiapp"), "--version"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert ran.stdout.split() == ["tokenloupe", guiapp.__version__]
