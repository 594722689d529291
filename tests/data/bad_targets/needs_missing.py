"""An adapter whose implementation is not installed."""

import module_that_nobody_has  # type: ignore[import-not-found]

make = module_that_nobody_has
