"""
The reference implementation of the contract, written to be read.

Start with `toolassay.simulator.session`: it walks one session from the user's
message to the committed step and cites the clause at each rule. Everything is
deterministic: a virtual clock, a seeded scheduler, ids from named sub-streams.
"""
