-- What was drawn from events: statements, the things they speak of, and how these hang together. All of it is the fold of
-- the events of knowledge and may be thrown away (`pith rebuild`), but for the first table, which is written with them.

-- Which observed events an event of knowledge quotes: forgetting one takes the other along.
CREATE TABLE event_sources (
    source TEXT NOT NULL,                         -- id of the observed event
    event  INTEGER NOT NULL REFERENCES events (seq),
    PRIMARY KEY (source, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_sources_by_event ON event_sources (event);
CREATE INDEX events_of_knowledge ON events (seq) WHERE session IS NULL;

CREATE TABLE entries (
    entry_id      TEXT NOT NULL PRIMARY KEY,
    created_ts    TEXT NOT NULL,                  -- when it was stated
    entry_type    TEXT NOT NULL CHECK (entry_type IN ('fact', 'decision', 'insight', 'task_note', 'reference')),
    title         TEXT NOT NULL,
    content_json  TEXT NOT NULL CHECK (json_valid(content_json)),
    stage         TEXT NOT NULL CHECK (stage IN ('raw', 'working', 'candidate', 'verified', 'certified')),
    status        TEXT DEFAULT 'active' CHECK (status IN ('active', 'contested', 'deprecated', 'superseded')),
    superseded_by TEXT,
    build_id      TEXT,
    evidence_json TEXT CHECK (evidence_json IS NULL OR json_valid(evidence_json)),
    canonical_key TEXT,
    created_at    TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),  -- when it was recorded
    branch        TEXT NOT NULL DEFAULT '',
    commit_id     TEXT NOT NULL DEFAULT '',
    event_id      TEXT NOT NULL,                  -- the event of knowledge that stated it
    CHECK (superseded_by IS NULL OR status = 'superseded')
) STRICT;
CREATE INDEX idx_entries_type ON entries (entry_type);
CREATE INDEX idx_entries_stage ON entries (stage);
CREATE INDEX idx_entries_status ON entries (status);
CREATE INDEX idx_entries_canonical ON entries (canonical_key);
CREATE INDEX entries_by_event ON entries (event_id);

CREATE TABLE entities (
    entity_id     TEXT NOT NULL PRIMARY KEY,
    entity_type   TEXT NOT NULL CHECK (entity_type IN ('task', 'condition', 'artifact')),
    canonical_key TEXT NOT NULL,
    title         TEXT NOT NULL,
    stage         TEXT NOT NULL CHECK (stage IN ('raw', 'working', 'candidate', 'verified', 'certified')),
    status        TEXT NOT NULL CHECK (status IN ('active', 'contested', 'deprecated', 'superseded')),
    current_json  TEXT NOT NULL CHECK (json_valid(current_json)),
    title_norm    TEXT,
    search_text   TEXT,
    created_at    TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at    TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    CHECK (entity_type != 'task' OR coalesce(json_extract(current_json, '$.status'), '')
           IN ('pending', 'in_progress', 'blocked', 'done', 'cancelled')),
    CHECK (entity_type != 'condition' OR coalesce(json_extract(current_json, '$.status'), '') IN ('open', 'resolved'))
) STRICT;
CREATE UNIQUE INDEX idx_entities_type_key ON entities (entity_type, canonical_key);
CREATE INDEX idx_entities_status ON entities (status);
CREATE INDEX entities_by_state ON entities (entity_type, json_extract(current_json, '$.status'));

CREATE TABLE entity_aliases (
    canonical_key TEXT NOT NULL PRIMARY KEY,      -- another key under which the same entity was or is known
    entity_id     TEXT NOT NULL,
    title         TEXT NOT NULL,
    added_at      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_aliases_by_entity ON entity_aliases (entity_id);

CREATE TABLE edges (
    edge_id     TEXT NOT NULL PRIMARY KEY,
    src_type    TEXT NOT NULL CHECK (src_type IN ('entry', 'entity', 'event')),
    src_id      TEXT NOT NULL,
    rel_type    TEXT NOT NULL,
    dst_type    TEXT NOT NULL CHECK (dst_type IN ('entry', 'entity', 'event')),
    dst_id      TEXT NOT NULL,
    meta_json   TEXT CHECK (meta_json IS NULL OR json_valid(meta_json)),
    created_at  TEXT DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    valid_from  TEXT NOT NULL,
    valid_to    TEXT,
    recorded_at TEXT NOT NULL,
    retired_at  TEXT,                             -- taking an edge away retires it: "as of" questions stay possible
    event_id    TEXT,
    CHECK (
        (rel_type IN ('derived_from', 'supersedes', 'contradicts') AND src_type = 'entry' AND dst_type = 'entry')
        OR (rel_type IN ('evidence_of', 'mentions') AND src_type = 'entry' AND dst_type = 'entity')
        OR (rel_type IN ('blocked_by', 'blocked_by_suggested', 'resolves_to', 'depends_on')
            AND src_type = 'entity' AND dst_type = 'entity')
        OR (rel_type IN ('produced', 'source_of') AND src_type = 'event' AND dst_type IN ('entry', 'entity'))
    )
) STRICT;
CREATE INDEX idx_edges_src ON edges (src_id, rel_type);
CREATE INDEX idx_edges_dst ON edges (dst_id, rel_type);
CREATE INDEX idx_edges_rel ON edges (rel_type);
CREATE UNIQUE INDEX idx_edges_unique ON edges (src_type, src_id, rel_type, dst_type, dst_id)
WHERE retired_at IS NULL;

-- Every move of an entry's stage or status and of an entity's state; the first value is the `from_value` of the first move.
CREATE TABLE status_moves (
    move_id     TEXT NOT NULL PRIMARY KEY,
    node_type   TEXT NOT NULL CHECK (node_type IN ('entry', 'entity')),
    node_id     TEXT NOT NULL,
    what        TEXT NOT NULL CHECK (what IN ('stage', 'status', 'state')),
    from_value  TEXT NOT NULL,
    to_value    TEXT NOT NULL,
    reason      TEXT NOT NULL DEFAULT '',
    event_id    TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,                 -- among the moves of the node: two may have the same time
    valid_from  TEXT NOT NULL,
    valid_to    TEXT,
    recorded_at TEXT NOT NULL,
    retired_at  TEXT
) STRICT;
CREATE INDEX status_moves_by_node ON status_moves (node_id, what, ordinal);

-- Which entries an accepted node of the project memory cites: an entry is verified while one does.
CREATE TABLE node_entries (
    node        TEXT NOT NULL,
    entry_id    TEXT NOT NULL,
    hash        TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    PRIMARY KEY (node, entry_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_entries_by_entry ON node_entries (entry_id);

-- How far a projection has read: (origin, sequence of that origin), never a sequence shared by several writers.
CREATE TABLE knowledge_offsets (
    projection TEXT NOT NULL,
    origin     TEXT NOT NULL DEFAULT '',
    seq        INTEGER NOT NULL,
    PRIMARY KEY (projection, origin)
) STRICT, WITHOUT ROWID;

-- What stands behind each blocked task today. A condition that was found to be something else gives way to it, along
-- chains; the path ends a chain that bites its tail. A blocker is live while its edge is not settled and what stands at
-- the end is neither a done task nor a resolved condition. Suggested blockers have a relation of their own.
CREATE VIEW v_task_blockers_effective AS
WITH RECURSIVE chain (edge_id, task_id, blocker_id, node_id, depth, path, meta_json) AS (
    SELECT edge_id, src_id, dst_id, dst_id, 0, '|' || dst_id || '|', meta_json
    FROM edges
    WHERE rel_type = 'blocked_by' AND retired_at IS NULL AND json_extract(meta_json, '$.resolved_at') IS NULL
    UNION ALL
    SELECT c.edge_id, c.task_id, c.blocker_id, r.dst_id, c.depth + 1, c.path || r.dst_id || '|', c.meta_json
    FROM chain c JOIN edges r ON r.src_id = c.node_id AND r.rel_type = 'resolves_to' AND r.retired_at IS NULL
    WHERE instr(c.path, '|' || r.dst_id || '|') = 0
)
SELECT c.task_id, c.blocker_id, c.node_id AS effective_blocker_id, 'entity' AS effective_blocker_type,
       n.entity_type AS effective_entity_type, n.title AS effective_title, c.depth, c.edge_id, c.meta_json
FROM chain c JOIN entities n ON n.entity_id = c.node_id
WHERE NOT EXISTS (
        SELECT 1 FROM edges r
        WHERE r.src_id = c.node_id AND r.rel_type = 'resolves_to' AND r.retired_at IS NULL
          AND instr(c.path, '|' || r.dst_id || '|') = 0
    )
  AND NOT (n.entity_type = 'task' AND json_extract(n.current_json, '$.status') = 'done')
  AND NOT (n.entity_type = 'condition' AND json_extract(n.current_json, '$.status') = 'resolved');

CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
WHEN NEW.entry_id IS NOT OLD.entry_id OR NEW.created_ts IS NOT OLD.created_ts OR NEW.entry_type IS NOT OLD.entry_type
     OR NEW.title IS NOT OLD.title OR NEW.content_json IS NOT OLD.content_json OR NEW.build_id IS NOT OLD.build_id
     OR NEW.evidence_json IS NOT OLD.evidence_json OR NEW.canonical_key IS NOT OLD.canonical_key
     OR NEW.created_at IS NOT OLD.created_at OR NEW.branch IS NOT OLD.branch OR NEW.commit_id IS NOT OLD.commit_id
     OR NEW.event_id IS NOT OLD.event_id
BEGIN SELECT RAISE (ABORT, 'entries never change but in stage, status and superseded_by'); END;

CREATE TRIGGER entry_stages_move_legally BEFORE UPDATE OF stage ON entries
WHEN NEW.stage IS NOT OLD.stage AND OLD.stage || '>' || NEW.stage NOT IN (
    'raw>working', 'working>candidate', 'candidate>verified', 'verified>certified', 'verified>candidate',
    'certified>verified', 'certified>candidate')
BEGIN SELECT RAISE (ABORT, 'an entry moves its stage one rung at a time'); END;

CREATE TRIGGER entry_statuses_move_legally BEFORE UPDATE OF status ON entries
WHEN NEW.status IS NOT OLD.status AND coalesce(OLD.status, 'active') || '>' || coalesce(NEW.status, '') NOT IN (
    'active>contested', 'active>deprecated', 'active>superseded', 'contested>active', 'contested>deprecated',
    'contested>superseded', 'deprecated>active', 'superseded>active')
BEGIN SELECT RAISE (ABORT, 'an entry cannot move to that status'); END;

CREATE TRIGGER entities_keep_their_type BEFORE UPDATE ON entities
WHEN NEW.entity_id IS NOT OLD.entity_id OR NEW.entity_type IS NOT OLD.entity_type
     OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE (ABORT, 'an entity keeps its id, type and time of creation'); END;

CREATE TRIGGER edges_keep_their_ends BEFORE UPDATE ON edges
WHEN NEW.edge_id IS NOT OLD.edge_id OR NEW.src_type IS NOT OLD.src_type OR NEW.src_id IS NOT OLD.src_id
     OR NEW.rel_type IS NOT OLD.rel_type OR NEW.dst_type IS NOT OLD.dst_type OR NEW.dst_id IS NOT OLD.dst_id
     OR NEW.valid_from IS NOT OLD.valid_from OR NEW.recorded_at IS NOT OLD.recorded_at
     OR (OLD.retired_at IS NOT NULL AND NEW.retired_at IS NOT OLD.retired_at)
BEGIN SELECT RAISE (ABORT, 'an edge keeps its ends and times; it is retired once'); END;

CREATE TRIGGER edges_start_where_they_may BEFORE INSERT ON edges
WHEN NEW.rel_type IN ('blocked_by', 'blocked_by_suggested', 'resolves_to') AND NOT EXISTS (
    SELECT 1 FROM entities
    WHERE entity_id = NEW.src_id AND entity_type = iif(NEW.rel_type = 'resolves_to', 'condition', 'task'))
BEGIN SELECT RAISE (ABORT, 'blocked_by starts at a task and resolves_to at a condition'); END;
