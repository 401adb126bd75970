from guiapp.viewmodels.qt_exceptions import protect_overrides

protect_overrides()
