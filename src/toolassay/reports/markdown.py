"""Text from outside as Markdown shows it: letter by letter, and never as markup."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from toolassay.printable import printable, visible

_MARKUP = re.compile(r"(?!(?<=\d)\.\d)[^A-Za-z0-9 ,;\-\u00a1-\U0010ffff]|^[ \-]")
"""
Characters that may mean something to Markdown, to HTML, or to what makes links of text.

A dot between digits makes no link, and releases stay readable; a blank or a dash at
the front would begin a block.
"""


def plain(text: str, limit: int = 200) -> str:
    """Write a text in one line of which Markdown makes nothing."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", printable(text, limit))


def code(text: str, limit: int = 200) -> str:
    """Write a text in one line as code, in which nobody is mentioned and nothing is linked."""
    return f"<code>{plain(text, limit)}</code>" if text else ""


def preformatted(lines: list[str]) -> str:
    """Write lines as they are; blank ones among them do not end the block."""
    return f"<pre>\n{html.escape(chr(10).join(map(visible, lines)))}\n</pre>"


def table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Write a table; its cells are written already."""
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
