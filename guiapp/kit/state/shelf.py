"""What people can open with one click."""

from __future__ import annotations

from dataclasses import dataclass

from guiapp.kit.models.installed import InstalledModels
from guiapp.kit.state.recent import RecentFiles, RecentTexts


@dataclass(frozen=True)
class Shelf:
    """Models and texts that were open before, and the models on this machine."""

    recent: RecentFiles
    recent_texts: RecentTexts
    installed: InstalledModels
