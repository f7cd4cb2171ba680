"""The tasks that a model is asked to do: each a file here with its prompt beside it, registered where it is defined.

Importing this package imports them all.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
