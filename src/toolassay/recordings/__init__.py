"""
Readers of observations that were made elsewhere.

Start at `toolassay.recordings.reader`, which reads one line of a file in any
of the known forms. A form that is not the kit's own has its modules under its
own prefix (`looprig_...`), split by what they read.
"""
