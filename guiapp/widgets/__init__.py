import guiapp.viewmodels  # noqa: F401  # protects overrides of methods of Qt
