"""
Implementations side by side: where they behave alike, where not, and what decides.

Start at `gather`: what a run, or the report of one, says of each case. Then
`behaviour`, which puts an observation into words that can be compared, and
`differences`, which finds where they differ and which clauses decide.
"""
