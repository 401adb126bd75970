"""The native library: C++ with a plain C interface (`api.h`), and the modules that bind it for Python.

Each module is next to the sources that it calls.  Data that a function needs beyond its call is kept alive by
the object that it belongs to.
"""
