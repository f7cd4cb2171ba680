"""What tests need of a strategy that can be deleted, a module each: replies, tasks, and records of its own."""

from importlib import import_module
from pkgutil import iter_modules

MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
