-- Whether a person has said of the node that it still holds: what it cites is certified then.
ALTER TABLE node_entries ADD COLUMN certified INTEGER NOT NULL DEFAULT 0 CHECK (certified IN (0, 1));
