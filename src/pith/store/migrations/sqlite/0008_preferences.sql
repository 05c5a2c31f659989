-- Standing preferences that a person confirmed, the fold of their events; and where in prompts more of them may stand.
CREATE TABLE preferences (
    preference_id TEXT PRIMARY KEY,
    text          TEXT NOT NULL CHECK (text != ''),
    scope         TEXT NOT NULL CHECK (scope IN ('project', 'everywhere')),
    state         TEXT NOT NULL CHECK (state IN ('confirmed', 'withdrawn')),
    said_at       TEXT,
    confirmed_at  TEXT,
    withdrawn_at  TEXT,
    event_id      TEXT NOT NULL,                  -- the change that made it what it is
    evidence_json TEXT NOT NULL CHECK (json_valid(evidence_json)),
    CHECK (state = 'withdrawn' OR confirmed_at IS NOT NULL),
    CHECK ((state = 'withdrawn') = (withdrawn_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX preferences_in_force ON preferences (confirmed_at) WHERE state = 'confirmed';

-- No copy of a prompt's words: only where they stand. Found again from the prompts when the rules for finding change.
CREATE TABLE preference_candidates (
    event         INTEGER NOT NULL REFERENCES events (seq),
    start         INTEGER NOT NULL,
    end           INTEGER NOT NULL,
    quote_hash    TEXT NOT NULL,
    preference_id TEXT NOT NULL,
    PRIMARY KEY (event, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX preference_candidates_by_preference ON preference_candidates (preference_id);

CREATE TRIGGER preference_candidates_are_forgotten AFTER UPDATE ON event_bodies WHEN NEW.forgotten_at IS NOT NULL
BEGIN DELETE FROM preference_candidates WHERE event = NEW.seq; END;
