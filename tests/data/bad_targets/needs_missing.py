"""An adapter whose implementation is not installed."""

import module_that_nobody_has  # noqa: F401

make = None
