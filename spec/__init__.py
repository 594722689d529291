"""
The contract: clauses, codes, typed models, readers and the error tree.

Nothing here imports another part of the kit. Start at `README.md` in this
folder; the clauses themselves are data in `clauses/` and are loaded by
`toolassay.spec.register`.

The modules of models do not postpone the evaluation of annotations: msgspec
would have to compile each of them anew at every start.
"""
