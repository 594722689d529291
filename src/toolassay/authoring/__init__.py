"""
Authored vectors: read, checked, expanded into cases, compiled into packs.

The stages, in the order in which a vector passes them: `schema` (its shape),
`load` (a vector as a value), `expand` with `axes` (its cases), `lint` (what a
shape cannot say), `fill` (packs). `packs` reads what `fill` wrote and needs
none of the others.
"""
