"""The native library: C++ behind a plain C interface (`api.h`), and the modules that bind it for Python.

Each module stands beside the sources that it calls.  What a function needs for longer than its call is kept
alive by the object that it belongs to.
"""
