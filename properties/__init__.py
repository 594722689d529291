"""
The oracles: named checks of clauses over what an implementation let us see.

Start at `toolassay.properties.judge`. This package imports the contract
(`toolassay.spec`) and never the simulator.
"""
