-- The sliding working set, what was consolidated from it, and how contexts followed each other.

CREATE TABLE working_set (
    id              TEXT NOT NULL PRIMARY KEY,
    event_id        TEXT NOT NULL UNIQUE REFERENCES events (id),
    added_at        TEXT NOT NULL,                -- when the event happened: the window slides over these
    relevance_score REAL NOT NULL DEFAULT 1.0 CHECK (relevance_score BETWEEN 0 AND 1),
    topics          TEXT CHECK (topics IS NULL OR json_valid(topics)),  -- none until somebody has looked
    expires_at      TEXT NOT NULL
) STRICT;
CREATE INDEX idx_working_set_expires ON working_set (expires_at);
CREATE INDEX idx_working_set_relevance ON working_set (relevance_score DESC, added_at DESC);

-- The fold of the events `memory_consolidated`.
CREATE TABLE consolidated_memories (
    memory_id     TEXT NOT NULL PRIMARY KEY,      -- follows from the events that went into it
    summary       TEXT NOT NULL,
    topics        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
    source_events TEXT NOT NULL CHECK (json_valid(source_events)),
    confidence    REAL NOT NULL DEFAULT 0.5 CHECK (confidence BETWEEN 0 AND 1),
    created_at    TEXT NOT NULL,
    accessed_at   TEXT,                           -- this and the count are statistics, outside the fold
    access_count  INTEGER NOT NULL DEFAULT 0,
    first_at      TEXT NOT NULL,                  -- the span of its events
    last_at       TEXT NOT NULL,
    files         TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
    branches      TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(branches)),
    summarizer    TEXT NOT NULL,
    version       TEXT NOT NULL
) STRICT;
CREATE INDEX idx_consolidated_confidence ON consolidated_memories (confidence DESC);
CREATE INDEX consolidated_memories_by_time ON consolidated_memories (last_at);

-- Which memory an event went into: one at most.
CREATE TABLE memory_events (
    event_id  TEXT NOT NULL PRIMARY KEY,
    memory_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_events_by_memory ON memory_events (memory_id);

-- How often a memory was used, kept while the rows are folded anew.
CREATE TABLE memory_uses (
    memory_id    TEXT NOT NULL PRIMARY KEY,
    accessed_at  TEXT NOT NULL,
    access_count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memories_take_their_events AFTER INSERT ON consolidated_memories
BEGIN
    INSERT INTO memory_events (event_id, memory_id) SELECT value, NEW.memory_id FROM json_each(NEW.source_events);
    DELETE FROM working_set WHERE event_id IN (SELECT value FROM json_each(NEW.source_events));
    UPDATE consolidated_memories
    SET (accessed_at, access_count) = (SELECT accessed_at, access_count FROM memory_uses WHERE memory_id = NEW.memory_id)
    WHERE memory_id = NEW.memory_id AND EXISTS (SELECT 1 FROM memory_uses WHERE memory_id = NEW.memory_id);
    DELETE FROM memory_uses WHERE memory_id = NEW.memory_id;
END;
CREATE TRIGGER memories_give_their_events_back AFTER DELETE ON consolidated_memories
BEGIN
    DELETE FROM memory_events WHERE memory_id = OLD.memory_id;
    INSERT INTO memory_uses (memory_id, accessed_at, access_count)
    SELECT OLD.memory_id, OLD.accessed_at, OLD.access_count WHERE OLD.access_count > 0
    ON CONFLICT (memory_id) DO UPDATE SET accessed_at = excluded.accessed_at, access_count = excluded.access_count;
END;
CREATE TRIGGER memories_keep_what_they_say BEFORE UPDATE ON consolidated_memories
WHEN NEW.memory_id IS NOT OLD.memory_id OR NEW.summary IS NOT OLD.summary OR NEW.topics IS NOT OLD.topics
     OR NEW.source_events IS NOT OLD.source_events OR NEW.confidence IS NOT OLD.confidence
     OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE (ABORT, 'memories never change but in how often they were used'); END;

-- What is in a memory never comes back into the working set, and what was forgotten leaves it with its words.
CREATE TRIGGER working_set_takes_no_consolidated_event BEFORE INSERT ON working_set
WHEN EXISTS (SELECT 1 FROM memory_events WHERE event_id = NEW.event_id)
BEGIN SELECT RAISE (IGNORE); END;
CREATE TRIGGER working_set_forgets AFTER UPDATE OF forgotten_at ON event_bodies
WHEN NEW.forgotten_at IS NOT NULL
BEGIN DELETE FROM working_set WHERE event_id = (SELECT id FROM events WHERE seq = NEW.seq); END;

-- By which words memories are found.
CREATE TABLE memory_words (
    num       INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL UNIQUE,
    terms     TEXT NOT NULL                       -- as the full text holds them, since a row leaves by naming them
) STRICT;
CREATE VIRTUAL TABLE memory_terms USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '!#$%&''*+-./:;<=>?@^_`|~'"
);
CREATE VIRTUAL TABLE memory_vocabulary USING fts5vocab (memory_terms, 'row');
CREATE TRIGGER memory_words_are_found AFTER INSERT ON memory_words
BEGIN INSERT INTO memory_terms (rowid, terms) VALUES (NEW.num, NEW.terms); END;
CREATE TRIGGER memory_words_leave AFTER DELETE ON memory_words
BEGIN INSERT INTO memory_terms (memory_terms, rowid, terms) VALUES ('delete', OLD.num, OLD.terms); END;
CREATE TRIGGER memory_words_leave_with_the_memory AFTER DELETE ON consolidated_memories
BEGIN DELETE FROM memory_words WHERE memory_id = OLD.memory_id; END;

-- Written once for each context, a session or a stretch of one: how it followed the one before it.
CREATE TABLE continuity_log (
    log_id           TEXT NOT NULL PRIMARY KEY,
    from_context_id  TEXT,                        -- none: nothing went before, and the score is unknown
    to_context_id    TEXT NOT NULL UNIQUE,
    continuity_score REAL CHECK (continuity_score IS NULL OR continuity_score BETWEEN 0 AND 1),
    transition_type  TEXT NOT NULL CHECK (transition_type IN ('seamless', 'topic_shift', 'break', 'unknown')),
    created_at       TEXT NOT NULL,
    began_at         TEXT NOT NULL,               -- when the later context began
    session          TEXT NOT NULL,
    CHECK ((continuity_score IS NULL) = (transition_type = 'unknown'))
) STRICT;
CREATE INDEX continuity_log_by_time ON continuity_log (began_at);

-- A memory is found by meaning too (0006_meaning.sql).
CREATE TRIGGER memories_want_vectors AFTER INSERT ON consolidated_memories WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('memory', NEW.memory_id); END;
CREATE TRIGGER gone_memories_want_no_vectors AFTER DELETE ON consolidated_memories
WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('memory', OLD.memory_id); END;
