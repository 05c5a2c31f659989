-- What was observed: events, where their text stands, and how they are found again.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    num        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    agent      TEXT NOT NULL DEFAULT '',          -- '' is the session itself, else a subagent of it
    host       TEXT NOT NULL,
    parent     TEXT,                              -- the session that this one was forked from
    title      TEXT,
    cwd        TEXT,
    ended_at   TEXT,
    end_reason TEXT,
    UNIQUE (id, agent)
) STRICT;

CREATE TABLE places (
    num       INTEGER PRIMARY KEY,
    branch    TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    directory TEXT NOT NULL,
    UNIQUE (branch, commit_id, directory)
) STRICT;

-- Append-only. `seq` is the order of writing in this store and the offset of every projection; the time of
-- recording stands in the id (UUIDv7). The text stands in event_bodies, so that it can be forgotten.
CREATE TABLE events (
    seq      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL CHECK (kind IN (
        'prompt', 'response', 'tool', 'summary', 'note',
        'session_ingested', 'memory_extracted', 'entry_noted', 'entry_stage_moved', 'entry_status_moved',
        'task_created', 'task_title_changed', 'task_state_changed', 'task_priority_changed', 'task_blockers_set',
        'task_transition_rejected', 'condition_declared', 'condition_resolved', 'artifact_declared',
        'memory_consolidated', 'entity_alias_added', 'evidence_imported', 'preference_confirmed',
        'preference_withdrawn', 'proposal_accepted', 'node_withdrawn'
    )),
    session  INTEGER REFERENCES sessions (num),   -- a change of knowledge belongs to none
    at       TEXT NOT NULL,
    origin   TEXT NOT NULL CHECK (origin IN ('person', 'agent', 'tool', 'web', 'import')),
    place    INTEGER NOT NULL REFERENCES places (num),
    size     INTEGER NOT NULL,                    -- terms in the full-text row, for ranking
    checksum BLOB NOT NULL,
    CHECK ((session IS NOT NULL) = (kind IN ('prompt', 'response', 'tool', 'summary', 'note')))
) STRICT;
CREATE INDEX events_by_session ON events (session, at);

CREATE TABLE event_bodies (
    seq          INTEGER PRIMARY KEY REFERENCES events (seq),
    text         TEXT NOT NULL,
    details      TEXT CHECK (details IS NULL OR json_valid(details)),
    forgotten_at TEXT
) STRICT;

-- Every name under which an event was seen, so that a second sighting is no second event.
CREATE TABLE event_anchors (
    anchor BLOB PRIMARY KEY,
    event  INTEGER NOT NULL REFERENCES events (seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_files (
    path  TEXT NOT NULL,
    event INTEGER NOT NULL REFERENCES events (seq),
    PRIMARY KEY (path, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_files_by_event ON event_files (event);

CREATE TABLE citations (
    id        TEXT PRIMARY KEY,
    item_kind TEXT NOT NULL,
    item_id   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Terms only (words.py makes them), no copy of the text: `detail=none` because closeness is judged on the text itself.
CREATE VIRTUAL TABLE event_terms USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '!#$%&''*+-./:;<=>?@^_`|~'"
);
CREATE VIRTUAL TABLE event_vocabulary USING fts5vocab (event_terms, 'row');

-- What recall was asked and what it showed. Statistics: outside every fold.
CREATE TABLE usage (
    id      INTEGER PRIMARY KEY,
    at      TEXT NOT NULL,
    face    TEXT NOT NULL,
    session TEXT,
    query   TEXT NOT NULL,
    shown   TEXT NOT NULL CHECK (json_valid(shown)),
    tokens  INTEGER NOT NULL
) STRICT;

CREATE TABLE imports (
    path        TEXT PRIMARY KEY,
    file_size   INTEGER NOT NULL,
    offset      INTEGER NOT NULL,
    head_hash   BLOB NOT NULL,
    lines       INTEGER NOT NULL,
    imported_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE exports (
    path       TEXT PRIMARY KEY,
    written_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN SELECT RAISE (ABORT, 'events never change'); END;
CREATE TRIGGER events_never_leave BEFORE DELETE ON events
BEGIN SELECT RAISE (ABORT, 'events never leave'); END;
CREATE TRIGGER bodies_never_leave BEFORE DELETE ON event_bodies
BEGIN SELECT RAISE (ABORT, 'event bodies never leave'); END;
CREATE TRIGGER bodies_are_forgotten_once BEFORE UPDATE ON event_bodies
WHEN OLD.forgotten_at IS NOT NULL OR NEW.forgotten_at IS NULL OR NEW.text != '' OR NEW.details IS NOT NULL
     OR NEW.seq != OLD.seq
BEGIN SELECT RAISE (ABORT, 'an event body changes once, into a tombstone'); END;
