-- What must still be embedded, for which version, and the vectors that came of it.

-- A version is a model and everything else that changes a vector; vectors of two versions never mix. The one chosen last
-- is in use; another that is not retired keeps its vectors, so that going back to it costs nothing.
CREATE TABLE embedding_versions (
    version       TEXT NOT NULL PRIMARY KEY,      -- {model}@{dimensions}-{hash}
    model         TEXT NOT NULL,
    dimensions    INTEGER NOT NULL CHECK (dimensions > 0),
    hash          TEXT NOT NULL,                  -- of revision, prefixes and splitter
    opened_by     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(opened_by)),  -- the settings that open its embedder
    state         TEXT NOT NULL CHECK (state IN ('building', 'ready', 'retired')),
    registered_at TEXT NOT NULL,
    chosen_at     TEXT NOT NULL,
    ready_at      TEXT,
    retired_at    TEXT,
    enqueue_kind  TEXT NOT NULL DEFAULT 'event',  -- what exists is enqueued kind by kind; '' when all of it was
    enqueue_from  TEXT NOT NULL DEFAULT ''        -- and within a kind downwards, beginning with the newest
) STRICT, WITHOUT ROWID;

-- What must still be done. `wanted` counts how often a vector was asked for, `served` up to which asking it is there:
-- an item that changes while a worker is busy with it is asked for once more than was served, and stays pending.
CREATE TABLE vector_outbox (
    job_id            TEXT NOT NULL PRIMARY KEY,  -- {item_kind}:{item_id}@{embedding_version}
    item_kind         TEXT NOT NULL CHECK (item_kind IN ('event', 'entry', 'task_title', 'memory', 'node')),
    item_id           TEXT NOT NULL,
    embedding_version TEXT NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'done', 'failed')),
    error             TEXT,
    created_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),  -- since when it waits
    updated_at        TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    retry_count       INTEGER NOT NULL DEFAULT 0,
    not_before        TEXT NOT NULL DEFAULT '',
    error_kind        TEXT CHECK (error_kind IN ('retryable', 'permanent')),
    claimed_by        TEXT,
    lease_until       TEXT,
    wanted            INTEGER NOT NULL DEFAULT 1,
    served            INTEGER NOT NULL DEFAULT 0,
    reason            TEXT CHECK (reason IN ('embedded', 'unchanged', 'content_not_found')),
    took_ms           REAL,                       -- its share of the time of its batch
    UNIQUE (item_kind, item_id, embedding_version),
    CHECK ((status = 'processing') = (claimed_by IS NOT NULL))
) STRICT;
CREATE INDEX vector_outbox_due ON vector_outbox (embedding_version, status, not_before, created_at)
WHERE status != 'done';
CREATE INDEX vector_outbox_done ON vector_outbox (updated_at) WHERE status = 'done';

CREATE TRIGGER vector_jobs_move_legally BEFORE UPDATE OF status ON vector_outbox
WHEN NEW.status IS NOT OLD.status AND OLD.status || '>' || NEW.status NOT IN (
    'pending>processing', 'processing>done', 'processing>failed', 'processing>pending', 'failed>pending',
    'done>pending')
BEGIN SELECT RAISE (ABORT, 'a vector job cannot move to that state'); END;

-- Naming an item here asks for its vector in every version that is not retired: the rule stands here for all writers.
CREATE VIEW vector_wants AS SELECT item_kind, item_id FROM vector_outbox;
CREATE TRIGGER vector_wants_become_jobs INSTEAD OF INSERT ON vector_wants
BEGIN
    INSERT INTO vector_outbox (job_id, item_kind, item_id, embedding_version, status)
    SELECT NEW.item_kind || ':' || NEW.item_id || '@' || version, NEW.item_kind, NEW.item_id, version, 'pending'
    FROM embedding_versions WHERE state != 'retired'
    ON CONFLICT (item_kind, item_id, embedding_version) DO UPDATE SET
        wanted = wanted + 1,
        created_at = CASE WHEN status IN ('done', 'failed') THEN excluded.created_at ELSE created_at END,
        updated_at = excluded.updated_at,
        retry_count = CASE WHEN status = 'failed' THEN 0 ELSE retry_count END,
        not_before = CASE WHEN status IN ('done', 'failed') THEN '' ELSE not_before END,
        error = CASE WHEN status = 'failed' THEN NULL ELSE error END,
        error_kind = CASE WHEN status = 'failed' THEN NULL ELSE error_kind END,
        status = CASE status WHEN 'processing' THEN 'processing' ELSE 'pending' END;
END;

-- In the transaction of the fact, whoever writes it. What leaves is asked for too: the worker then finds no text and
-- takes the vector away. Without a version, a hook pays for one look into an empty table.
CREATE TRIGGER events_want_vectors AFTER INSERT ON events
WHEN NEW.session IS NOT NULL AND EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('event', NEW.id); END;
CREATE TRIGGER forgotten_events_want_no_vectors AFTER UPDATE OF forgotten_at ON event_bodies
WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN
    INSERT INTO vector_wants (item_kind, item_id)
    SELECT 'event', id FROM events WHERE seq = NEW.seq AND session IS NOT NULL;
END;
CREATE TRIGGER entries_want_vectors AFTER INSERT ON entries WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('entry', NEW.entry_id); END;
CREATE TRIGGER gone_entries_want_no_vectors AFTER DELETE ON entries WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('entry', OLD.entry_id); END;
CREATE TRIGGER tasks_want_vectors AFTER INSERT ON entities
WHEN NEW.entity_type = 'task' AND EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('task_title', NEW.entity_id); END;
CREATE TRIGGER renamed_tasks_want_vectors AFTER UPDATE OF title ON entities
WHEN NEW.entity_type = 'task' AND NEW.title IS NOT OLD.title AND EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('task_title', NEW.entity_id); END;
CREATE TRIGGER gone_tasks_want_no_vectors AFTER DELETE ON entities
WHEN OLD.entity_type = 'task' AND EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('task_title', OLD.entity_id); END;
CREATE TRIGGER nodes_want_vectors AFTER INSERT ON nodes WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('node', NEW.node_id); END;
CREATE TRIGGER gone_nodes_want_no_vectors AFTER DELETE ON nodes WHEN EXISTS (SELECT 1 FROM embedding_versions)
BEGIN INSERT INTO vector_wants (item_kind, item_id) VALUES ('node', OLD.node_id); END;

-- The exact index. A set holds the vectors of one embedding version; `changes` counts its writes, so that a running process
-- sees when to look again.
CREATE TABLE vector_sets (
    num        INTEGER PRIMARY KEY AUTOINCREMENT,
    version    TEXT NOT NULL UNIQUE,
    changes    INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Vectors as the embedder gave them, of unit length, halves of a float. A slot is never given twice: a code of a slot that
-- is gone means nothing.
CREATE TABLE vectors (
    slot       INTEGER PRIMARY KEY AUTOINCREMENT,
    set_num    INTEGER NOT NULL REFERENCES vector_sets (num),
    item_kind  TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    part       INTEGER NOT NULL CHECK (part >= 0),
    digest     BLOB NOT NULL,
    at         TEXT NOT NULL,
    session    TEXT NOT NULL,
    script     TEXT NOT NULL,
    vector     BLOB NOT NULL,
    UNIQUE (set_num, item_id, item_kind, part)
) STRICT;
CREATE INDEX vectors_by_set ON vectors (set_num);  -- and by slot within it

-- What is taken off a vector when it is compared, for each script; never baked into the vectors. Numbers only grow.
CREATE TABLE vector_means (
    version    TEXT NOT NULL,
    number     INTEGER NOT NULL,
    script     TEXT NOT NULL,
    counted    INTEGER NOT NULL,                  -- vectors that it was made from
    mean       BLOB NOT NULL,
    fitted_at  TEXT NOT NULL,
    PRIMARY KEY (version, number, script)
) STRICT, WITHOUT ROWID;

-- The signs of the centred vectors, thousands in a row, since a search looks at all of them: 100,000 rows of one code each
-- take twenty times as long to read. What is younger than the last block is read from `vectors`.
CREATE TABLE vector_blocks (
    block      INTEGER PRIMARY KEY AUTOINCREMENT,
    set_num    INTEGER NOT NULL REFERENCES vector_sets (num),
    first_slot INTEGER NOT NULL,
    last_slot  INTEGER NOT NULL,
    mean       INTEGER NOT NULL,                  -- the number of the mean that the codes were made with
    slots      INTEGER NOT NULL,
    gone       INTEGER NOT NULL DEFAULT 0,        -- slots whose codes were overwritten since
    places     BLOB NOT NULL,                     -- slot, 8 bytes each, ascending
    marks      BLOB NOT NULL,                     -- what filters ask for: session, time, kind
    codes      BLOB NOT NULL
) STRICT;
CREATE INDEX vector_blocks_by_slot ON vector_blocks (set_num, last_slot, first_slot);

-- What is near each event in meaning, worked out by the worker: all the meaning that a hook can afford, which loads no
-- model. Whatever is forgotten is nobody's neighbour from the same moment on.
CREATE TABLE neighbours (
    event     INTEGER NOT NULL,
    other     INTEGER NOT NULL,
    closeness REAL NOT NULL,                      -- a cosine after centring
    PRIMARY KEY (event, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX neighbours_by_other ON neighbours (other);
CREATE TRIGGER forgotten_events_have_no_neighbours AFTER UPDATE OF forgotten_at ON event_bodies
WHEN NEW.forgotten_at IS NOT NULL
BEGIN DELETE FROM neighbours WHERE event = NEW.seq OR other = NEW.seq; END;
