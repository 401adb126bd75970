"""Session files for scripts."""

from guiapp.analysis.sessions.session_file import SessionFile, load, save

__all__ = ["SessionFile", "load", "save"]
