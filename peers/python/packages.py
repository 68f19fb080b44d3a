"""The packages that providers measure: imported, or told to be missing."""

import importlib

from provider import Missing, WrongVersion

ADVICE = "`tools/setup python` installs it, KZ_PYTHON names another interpreter"


def package(name, least="0"):
    """The module `name`, of version `least` or later; else Missing or WrongVersion, with the command that gets it."""
    try:
        module = importlib.import_module(name)
    except ImportError as failure:
        raise Missing(f"no package {name} ({failure}): {ADVICE}") from None
    if _numbers(module.__version__) < _numbers(least):
        raise WrongVersion(f"{name} {module.__version__} is too old, {least} is needed: {ADVICE}")
    return module


def _numbers(version):
    parts = []
    for part in version.split("+")[0].split("."):
        if not part.isdigit():
            break
        parts.append(int(part))
    return parts
