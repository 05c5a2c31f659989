"""Every check, in the order in which they are made and told. A new one is a function that finds, and a line here.

Those of project memory stand in `memory_checks.py`.
"""

from __future__ import annotations

from pith.services.doctor import (
    agents,
    home,
    identity,
    knowledge,
    meaning,
    memory_checks,
    personal,
    program,
    servers,
    store_content,
    store_file,
    worker,
)  # fmt: skip
from pith.services.doctor.finding import ERROR, NOTE, WARNING, Check
from pith.services.doctor.memory_checks import REPAIR

PROGRAM, HOME, PROJECT, STORE, CONTENT, AGENTS = "program", "home", "project", "store", "content", "agents"
KNOWLEDGE, WORKER, MEMORY = "knowledge", "worker", memory_checks.MEMORY
GROUPS = {
    PROGRAM: "This program",
    HOME: "The home",
    PROJECT: "Projects and settings",
    STORE: "The database as a file",
    CONTENT: "What the database holds",  # examined only when the file is sound
    KNOWLEDGE: "What was drawn from it",  # likewise
    WORKER: "Work in the background",
    AGENTS: "Agents on this machine",
    MEMORY: "Project memory in git",  # examined only where there is one, or where it is asked for
}

CHECKS = (
    Check(
        "PYTHON_OLD", PROGRAM, ERROR, "Python is 3.11 or newer.", "Install pith with a newer Python.",
        program.old_python,
    ),
    Check(
        "SQLITE_OLD", PROGRAM, ERROR, "SQLite is 3.37 or newer.", "Install pith with a newer Python build.",
        program.old_sqlite,
    ),
    Check(
        "COMMAND_NOT_OURS", PROGRAM, WARNING, "The `pith` on the PATH is this program.",
        "Remove one of the two, or put the folder of the one you want first on the PATH.", program.elsewhere,
    ),
    Check(
        "ORANGE_NOT_OURS", PROGRAM, NOTE, "The `orange` on the PATH is this program.",
        "Say `pith` where instructions say `orange`; it is the same program.", program.other_orange,
    ),
    Check(
        "HOME_UNWRITABLE", HOME, ERROR, "The home can be written.",
        "Check its owner and permissions, or name another folder in PITH_HOME.", home.unwritable,
    ),
    Check(
        "DISK_NEARLY_FULL", HOME, WARNING, "The disk has room.",
        "Free some space; until then hooks may lose events.", home.disk_full,
    ),
    Check(
        "OPEN_TO_OTHERS", HOME, WARNING, "Only you can read what is remembered.",
        f"{REPAIR}; it sets 0600 for files and 0700 for folders.", home.open_to_others, home.close_to_others,
    ),
    Check(
        "DRAFT_LEFT", HOME, WARNING, "No interrupted write is left behind.",
        f"{REPAIR}; it removes the drafts.", home.drafts, home.remove_drafts,
    ),
    Check(
        "DAMAGED_FILE_KEPT", HOME, NOTE, "No damaged file is set aside.",
        "Delete it when you no longer need it.", home.set_aside_damaged,
    ),
    Check(
        "EVENTS_LOST", HOME, WARNING, "No event was lost.",
        f"{REPAIR} to start counting anew; `pith import` brings back what the agent's transcripts hold.",
        home.lost, home.settle,
    ),
    Check(
        "PERSONAL_UNREADABLE", HOME, ERROR, "The personal store can be read.",
        f"{REPAIR}; it keeps the damaged file and restores what can be read.", personal.unreadable, personal.restore,
    ),
    Check(
        "PERSONAL_DIFFERS", HOME, WARNING, "What holds everywhere is the fold of its events, and nothing else.",
        f"{REPAIR}; it folds them anew.", personal.different, personal.rebuild,
    ),
    Check(
        "REGISTER_UNREADABLE", PROJECT, ERROR, "projects.json can be read.",
        f"{REPAIR}; it is put together from the stores, and the damaged file is kept.",
        identity.unreadable, identity.put_right,
    ),
    Check(
        "REGISTER_DISAGREES", PROJECT, WARNING, "projects.json and the stores agree on which project is which.",
        f"{REPAIR}; projects.json decides, and a store's note adds what it lacks.",
        identity.disagreeing, identity.put_right,
    ),
    Check(
        "STORE_OWNERLESS", PROJECT, WARNING, "Every store belongs to a project.",
        "Restore its project.json from a backup, or delete the folder.", identity.ownerless,
    ),
    Check(
        "STORE_SET_ASIDE", PROJECT, NOTE, "No project has a second store.",
        "Run `pith unlink` in that project to give it its own store again.", identity.set_aside,
    ),
    Check(
        "SETTING_INVALID", PROJECT, WARNING, "Every setting has a known name and a possible value.",
        "Correct it; until then its former or default value holds. `pith config` shows all.",
        identity.wrong_settings,
    ),
    Check(
        "STORE_ABSENT", STORE, NOTE, "This project has a store.", "Run `pith init` to begin.", store_file.absent,
    ),
    Check(
        "STORE_UNAVAILABLE", STORE, ERROR, "The database can be opened.",
        "Check the permissions of the file and its folder, then try again.", store_file.unopened,
    ),
    Check(
        "STORE_CORRUPT", STORE, ERROR, "The pages of the database are whole.",
        f"{REPAIR}; it keeps the damaged file and restores what can be read.", store_file.damaged,
        store_file.restore,
    ),
    Check(
        "STORE_TOO_NEW", STORE, ERROR, "No newer pith wrote the database.",
        "Upgrade pith; nothing was changed, and hooks keep new events in the spool until then.", store_file.newer,
    ),
    Check(
        "STORE_OLD", STORE, WARNING, "The database has this program's version.",
        f"{REPAIR}, or just use it: the next command does the same.", store_file.older, store_file.migrate,
    ),
    Check(
        "SPOOL_WAITING", STORE, WARNING, "Nothing waits to be stored.",
        f"{REPAIR}; the next hook of this project does the same.", home.waiting, home.drain,
    ),
    Check(
        "LOG_LARGE", STORE, WARNING, "The log beside the database is under 64 MB.",
        f"{REPAIR} when no session is running.", store_file.log_large, store_file.empty_log,
    ),
    Check(
        "BACKUP_UNREADABLE", STORE, WARNING, "The newest backup can be read (with --deep, all of them).",
        f"{REPAIR}; it makes a new backup.", store_file.unreadable_backups, store_file.back_up_again,
    ),
    Check(
        "STORE_LARGE", CONTENT, WARNING, "The database has at most 4 times the size of its text.",
        f"{REPAIR}; it gives unused space back.", store_file.large, store_file.shrink,
    ),
    Check(
        "STORE_OVER_LIMIT", CONTENT, WARNING, "The database is within the size that your settings allow.",
        "Raise `capture.maxStoreMegabytes`, set `capture.keepDays`, or `pith forget` old sessions.",
        store_file.over_limit,
    ),
    Check(
        "INDEX_SCATTERED", CONTENT, NOTE, "Full text is in few segments.",
        f"{REPAIR}; it merges them.", store_file.scattered, store_file.merge,
    ),
    Check(
        "SCHEMA_ALTERED", CONTENT, ERROR, "Tables, indexes and triggers are those that this program makes.",
        f"{REPAIR}; it makes indexes and triggers again, a table only a backup brings back.",
        store_content.altered, store_content.make_again,
    ),
    Check(
        "ROW_DANGLING", CONTENT, ERROR, "Every row points to one that exists.",
        "Restore a backup; what is there can still be recalled.", store_content.dangling,
    ),
    Check(
        "EVENT_INCOMPLETE", CONTENT, ERROR, "Every event has a text, a session, a place and an anchor.",
        "Restore a backup, or import the transcripts again with `pith import`.", store_content.incomplete,
    ),
    Check(
        "EVENT_CHANGED", CONTENT, ERROR, "Every event is as it was written (checksum).",
        "Restore a backup; look at the event with `pith show` before you rely on it.", store_content.changed,
    ),
    Check(
        "CITATION_MISSING", CONTENT, ERROR, "Every event has a citation.",
        f"{REPAIR}; it makes the same citation again.", store_content.uncited, store_content.cite,
    ),
    Check(
        "FORGETTING_UNFINISHED", CONTENT, ERROR, "What was to be forgotten is gone everywhere.",
        f"{REPAIR}; it removes the copies that are left.",
        store_content.half_forgotten, store_content.forget_the_rest,
    ),
    Check(
        "TEXT_OUTDATED", CONTENT, WARNING, "Full text was made by this program's words.",
        f"{REPAIR}; it makes full text anew.", store_content.outdated, store_content.rebuild,
    ),
    Check(
        "TEXT_DIFFERS", CONTENT, ERROR, "Full text = bodies (by samples and sums; with --deep, word for word).",
        f"{REPAIR}; it makes full text anew.", store_content.different, store_content.rebuild,
    ),
    Check(
        "CLOCK_AHEAD", CONTENT, WARNING, "No event lies in the future.",
        "Check this machine's clock; such events come first in every list until then.", store_content.ahead,
    ),
    Check(
        "KNOWLEDGE_BEHIND", KNOWLEDGE, WARNING, "Entries, tasks and edges follow all events, by this program's rules.",
        f"{REPAIR}, or just use it: the next command does the same.", knowledge.behind, knowledge.rebuild,
    ),
    Check(
        "KNOWLEDGE_DIFFERS", KNOWLEDGE, ERROR, "Entries, tasks and edges are what the events give (with --deep).",
        f"{REPAIR}; it makes them anew from the events, with the same ids.", knowledge.different, knowledge.rebuild,
    ),
    Check(
        "CHANGES_MISCOUNTED", KNOWLEDGE, WARNING, "The store knows how many of its events are changes of knowledge.",
        f"{REPAIR}; it counts again.", knowledge.miscounted, knowledge.count_again,
    ),
    Check(
        "EVIDENCE_DIFFERS", KNOWLEDGE, ERROR, "What an entry rests on and the edges that follow from it agree.",
        f"{REPAIR}; it makes both anew from the events.", knowledge.uncovered, knowledge.rebuild,
    ),
    Check(
        "QUOTE_CHANGED", KNOWLEDGE, ERROR, "Every quote is where it was found (by samples; with --deep, all).",
        "Run `pith verify` to see all of them, and restore a backup from before.", knowledge.misquoted,
    ),
    Check(
        "TASK_UNSOUND", KNOWLEDGE, ERROR, "A blocked task has a live blocker, and no other task has one.",
        f"{REPAIR}; it makes tasks anew from the events.", knowledge.unsound, knowledge.rebuild,
    ),
    Check(
        "CONDITION_CIRCULAR", KNOWLEDGE, ERROR, "No condition resolves to itself, by whatever way.",
        f"{REPAIR}; it makes edges anew from the events.", knowledge.circular, knowledge.rebuild,
    ),
    Check(
        "TASKS_WAIT_IN_A_CIRCLE", KNOWLEDGE, WARNING, "No tasks wait for each other.",
        "Say of one of them that it goes on, or what else it waits for: `pith task set`.",
        knowledge.waiting_in_circles,
    ),
    Check(
        "NODES_UNTOLD", KNOWLEDGE, NOTE, "Entries stand where the accepted nodes that cite them put them.",
        f"{REPAIR}, or ask anything: `pith recall` does the same.", knowledge.untold, knowledge.tell,
    ),
    Check(
        "VECTORS_DIFFER", KNOWLEDGE, WARNING, "Every stored text has its vector, and nothing else has one.",
        f"{REPAIR}, or run `pith outbox reconcile`, which says what it did.", meaning.different, meaning.repair,
    ),
    Check(
        "VECTORS_FAILED", KNOWLEDGE, WARNING, "Fewer than 10 texts could not be embedded.",
        "`pith outbox status` shows why; `pith outbox retry` tries them again.", meaning.failed,
    ),
    Check(
        "VECTORS_LATE", KNOWLEDGE, WARNING, "No vector is wanted for more than an hour.",
        "`pith work --once` does what waits, and shows what stops it.", meaning.late,
    ),
    Check(
        "WORKER_BLOCKED", WORKER, ERROR, "A worker can take its lock.",
        "Remove it: the lock is the system's, and the file means nothing.", worker.blocked,
    ),
    Check(
        "WORKER_UNENDED", WORKER, WARNING, "The last worker came to its end.",
        "Run `pith work`; what it was doing is done again.", worker.unended,
    ),
    Check(
        "WORKER_FAILING", WORKER, WARNING, "No chore of the worker fails.",
        "Run `pith work` to see it; `work.log` beside the store has every time it failed.", worker.failing,
    ),
    Check(
        "WORKER_BEHIND", WORKER, WARNING, "Work does not pile up.",
        "Run `pith work`; hooks start it only where `worker.start` is auto.", worker.behind,
    ),
    Check(
        "HOOKS_ABSENT", AGENTS, NOTE, "Every agent on this machine calls pith.",
        "Run `pith install claude` or `pith install codex`.", agents.uninstalled,
    ),
    Check(
        "HOOKS_BROKEN", AGENTS, WARNING, "Installed hooks are complete, trusted, current, and run this program.",
        "Run `pith install claude` or `pith install codex`, which changes nothing else in their settings.",
        agents.broken,
    ),
    Check(
        "SERVER_BROKEN", AGENTS, ERROR, "MCP servers that agents start are there.",
        "Run `pith install claude --mcp`, or another agent's name.", servers.broken,
    ),
    Check(
        "HISTORY_DELETED_EARLY", AGENTS, WARNING, "Agents keep transcripts for 90 days or more.",
        "Run `pith import claude` to keep them here, and set `cleanupPeriodDays` in its settings to 365 or more.",
        agents.deleting,
    ),
    Check(
        "IMPORT_LATE", AGENTS, WARNING, "History was imported before the agent deletes it.",
        "Run `pith import claude`; a second import adds nothing twice.", agents.unimported,
    ),
    *memory_checks.CHECKS,
)  # fmt: skip


def check(code: str) -> Check:
    """Return the check of that code."""
    return next(each for each in CHECKS if each.code == code)
