"""The identity page of a project: its memory and its structure, in one file to open and read.

`build` reads everything once, composes the three graphs, and writes three files that may be thrown away: the page, its
summary, and the drawn structure. Nothing else changes.
"""
