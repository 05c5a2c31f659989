-- By which words entries are found, so that hooks find them: a copy, made in the transaction in which an entry is folded.
CREATE TABLE entry_words (
    num      INTEGER PRIMARY KEY,
    entry_id TEXT NOT NULL UNIQUE,
    terms    TEXT NOT NULL                        -- as the full text holds them, since a row leaves by naming them
) STRICT;

CREATE VIRTUAL TABLE entry_terms USING fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '!#$%&''*+-./:;<=>?@^_`|~'"
);
CREATE VIRTUAL TABLE entry_vocabulary USING fts5vocab (entry_terms, 'row');

CREATE TRIGGER entry_words_are_found AFTER INSERT ON entry_words
BEGIN INSERT INTO entry_terms (rowid, terms) VALUES (NEW.num, NEW.terms); END;
CREATE TRIGGER entry_words_leave AFTER DELETE ON entry_words
BEGIN INSERT INTO entry_terms (entry_terms, rowid, terms) VALUES ('delete', OLD.num, OLD.terms); END;
CREATE TRIGGER entry_words_leave_with_the_entry AFTER DELETE ON entries
BEGIN DELETE FROM entry_words WHERE entry_id = OLD.entry_id; END;
