"""
The pytest plugin behind its hooks: loaded by the first anchor that is collected.

`anchor` is what a test file holds; `settings` works out what it asks for;
`contract` runs and judges its cases; `items` makes tests of them; `outcome`
says what came of a case in words.
"""
