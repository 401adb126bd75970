"""Session files for scripts."""

from guiapp.analysis.sessions.session_file import SessionFile, load
from guiapp.analysis.sessions.writing import save

__all__ = ["SessionFile", "load", "save"]
