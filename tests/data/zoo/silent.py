"""Never says a word."""

from keeper import requests

for _ in requests():
    pass
