-- What people have accepted, copied from the files of the repository so that hooks find it by words: a copy of one state
-- of one work tree (`meta`, name 'nodes', says which), which may be dropped at any time.
CREATE TABLE nodes (
    num             INTEGER PRIMARY KEY,
    node_id         TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL,
    title           TEXT NOT NULL,
    summary         TEXT NOT NULL,
    status          TEXT NOT NULL,
    confidence      TEXT NOT NULL,
    file            TEXT NOT NULL,
    accepted_at     TEXT NOT NULL,
    since           TEXT NOT NULL,
    source_quest    TEXT NOT NULL,
    source_proposal TEXT NOT NULL,
    paths           TEXT NOT NULL CHECK (json_valid(paths)),
    state           TEXT NOT NULL CHECK (state IN (
        'current', 'stale', 'superseded', 'expired', 'not_yet', 'conflicting'
    )),
    reason          TEXT NOT NULL DEFAULT '',
    ends_after      TEXT NOT NULL DEFAULT '',    -- the last day on which it holds, if a day ends it
    end_reason      TEXT NOT NULL DEFAULT '',
    on_files        INTEGER NOT NULL DEFAULT 0,  -- whether files decide if it holds: another commit may say otherwise
    terms           TEXT NOT NULL                -- as the full text holds them, since a row leaves by naming them
) STRICT;
CREATE INDEX nodes_by_kind ON nodes (kind, accepted_at);

CREATE VIRTUAL TABLE node_terms USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '!#$%&''*+-./:;<=>?@^_`|~'"
);
CREATE VIRTUAL TABLE node_vocabulary USING fts5vocab (node_terms, 'row');
