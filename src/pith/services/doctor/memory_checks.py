"""The checks of project memory, in the order in which they are made and told; part of the table in `checks.py`."""

from __future__ import annotations

from pith.services.doctor import (
    memory_files,
    memory_graph,
    memory_identity,
    memory_provenance,
    memory_public,
    memory_structure,
)
from pith.services.doctor.finding import ERROR, NOTE, WARNING, Check

MEMORY = "memory"
REPAIR = "Run `pith doctor --repair`"
REBUILD = "Run `pith graph rebuild-index`; the files of the nodes are the truth."
MEND = "Mend the file by hand, or take it from git again."

CHECKS = (
    Check(
        "MEMORY_STRUCTURE_MISSING", MEMORY, ERROR, "The configuration and the folders are there.",
        "Run `pith init --shared`; it makes what is missing and changes nothing else.",
        memory_structure.missing, memory_structure.make_missing,
    ),
    Check(
        "GRAPH_STRUCTURE_MISSING", MEMORY, ERROR, "The graph's index and edges are there.",
        "Run `pith init --shared`; it makes what is missing and changes nothing else.",
        memory_structure.graph_missing, memory_structure.make_missing,
    ),
    Check(
        "MEMORY_LINKED_OUT", MEMORY, ERROR, "No link leads out of .orange-hyper.",
        "Replace the link by a real folder or file of the repository.", memory_structure.linked,
    ),
    Check(
        "CONFIG_UNREADABLE", MEMORY, ERROR, "config.json can be read.", MEND, memory_structure.config_unreadable,
    ),
    Check(
        "CONFIG_PROJECT_ID_MISSING", MEMORY, ERROR, "config.json says which project it is.",
        "Run `pith doctor --repair-project-id`; it fills in what is missing and changes no id.",
        memory_identity.config_without_id,
    ),
    Check(
        "GIT_RULES_INCOMPLETE", MEMORY, WARNING, "git is told what stays on this machine and how lines end.",
        f"{REPAIR}; it adds the lines.", memory_structure.rules_missing, memory_structure.make_missing,
    ),
    Check(
        "SHARED_FILE_IGNORED", MEMORY, WARNING, "git carries all that is to be shared.",
        "Take the rule out of .gitignore, or `git add --force` the file.", memory_structure.not_carried,
    ),
    Check(
        "CHANGE_UNFINISHED", MEMORY, ERROR, "No command was interrupted in the middle of its change.",
        f"{REPAIR}, or run any command that writes: it completes the change, or takes it back.",
        memory_structure.unfinished, memory_structure.finish,
    ),
    Check(
        "MEMORY_DRAFT_LEFT", MEMORY, WARNING, "No interrupted write is left beside its file.",
        f"{REPAIR}; it removes the drafts.", memory_structure.drafts, memory_structure.remove_drafts,
    ),
    Check(
        "MEMORY_FILE_UNREADABLE", MEMORY, ERROR, "Every quest, proposal and node can be read.", MEND,
        memory_files.unreadable,
    ),
    Check(
        "MEMORY_ID_TWICE", MEMORY, ERROR, "No two files have one id.",
        "Keep the one that is right, and remove the other or give it an id of its own.", memory_files.twice,
    ),
    Check(
        "MEMORY_FILE_MISPLACED", MEMORY, ERROR, "Files say what their name and folder say.",
        "Take the file from git again, or move it to where it belongs.", memory_files.misplaced,
    ),
    Check(
        "MEMORY_FILE_INVALID", MEMORY, ERROR, "Nodes and proposals have the fields that the rules want.", MEND,
        memory_files.invalid,
    ),
    Check(
        "PROPOSAL_WEAK", MEMORY, WARNING, "Proposals say enough to be of use later.",
        "Say it more precisely: `pith remember revise` where it still waits.", memory_files.weak,
    ),
    Check(
        "MEMORY_FILE_FORM", MEMORY, NOTE, "Files have plain line ends and names, as git keeps them.",
        f"{REPAIR}; it writes the same text with LF, without a mark, under its composed name.",
        memory_files.foreign_form, memory_files.put_in_form,
    ),
    Check(
        "GRAPH_NODE_PROJECT_MISMATCH", MEMORY, ERROR, "Every node belongs to this project.",
        "Look at the node: move it to its own project, or remove it here. Nothing repairs this by itself.",
        memory_identity.foreign_nodes,
    ),
    Check(
        "PROJECT_ID_MISMATCH", MEMORY, ERROR, "Every quest and proposal belongs to this project.",
        "Look at the file: move it to its own project, or remove it here. Nothing repairs this by itself.",
        memory_identity.foreign_files,
    ),
    Check(
        "LEGACY_PROJECT_ID_MISSING", MEMORY, WARNING, "Every file says which project it belongs to.",
        "Run `pith doctor --repair-project-id`; until then nodes without an id are left out.",
        memory_identity.without_id,
    ),
    Check(
        "ACCEPTED_PROPOSAL_MISSING_NODE", MEMORY, ERROR, "Every accepted proposal has its node.",
        f"{REPAIR}; it makes the node again from the proposal. Or take it from git again.",
        memory_provenance.without_node, memory_provenance.make_nodes,
    ),
    Check(
        "ACCEPTED_NODE_SOURCE_PROPOSAL_MISSING", MEMORY, ERROR, "Every node has its accepted proposal.",
        "Commit the accepted proposal where it is, or take it from git again.", memory_provenance.without_proposal,
    ),
    Check(
        "SOURCE_QUEST_MISSING", MEMORY, ERROR, "Every proposal has its completed quest.",
        "Commit the completed quest where it is, or take it from git again.", memory_provenance.without_quest,
    ),
    Check(
        "PROVENANCE_DIFFERS", MEMORY, ERROR, "Quest, proposal and node say the same of each other, hash included.",
        "See with `git log -p` who changed which of them, and take the right one from git again.",
        memory_provenance.differing,
    ),
    Check(
        "GRAPH_INDEX_UNREADABLE", MEMORY, ERROR, "graph/index.json can be read.", REBUILD,
        memory_graph.index_unreadable, memory_graph.rebuild,
    ),
    Check(
        "GRAPH_PATH_OUTSIDE", MEMORY, ERROR, "No path of the index leaves graph/nodes.", REBUILD,
        memory_graph.paths_outside, memory_graph.rebuild,
    ),
    Check(
        "GRAPH_INDEX_ORPHAN_ENTRY", MEMORY, ERROR, "Every entry of the index has its node.", REBUILD,
        memory_graph.orphans, memory_graph.rebuild,
    ),
    Check(
        "GRAPH_INDEX_MISSING_ENTRY", MEMORY, ERROR, "Every node is in the index.", REBUILD,
        memory_graph.unindexed, memory_graph.rebuild,
    ),
    Check(
        "GRAPH_INDEX_STALE_ENTRY", MEMORY, ERROR, "The index says what the nodes say.", REBUILD,
        memory_graph.outdated, memory_graph.rebuild,
    ),
    Check(
        "EDGE_UNREADABLE", MEMORY, ERROR, "Every line of edges.jsonl is a relation.", MEND,
        memory_graph.edges_unreadable,
    ),
    Check(
        "EDGE_DANGLING", MEMORY, ERROR, "Both ends of every relation are nodes.",
        "Take the node from git again, or take the relation away with `pith graph unlink`.",
        memory_graph.edges_dangling,
    ),
    Check(
        "SUCCESSOR_MISSING", MEMORY, ERROR, "What was replaced was replaced by a node, and not by itself.",
        "Say with `pith graph supersede` which node holds now.", memory_graph.successors,
    ),
    Check(
        "CREDENTIAL_PUBLIC", MEMORY, ERROR, "No file that git carries holds a credential.",
        "Change that credential first; then take it out of the file and out of git's history.",
        memory_public.credentials,
    ),
    Check(
        "PERSONAL_DATA_PUBLIC", MEMORY, WARNING, "No file that git carries holds personal data.",
        "Take it out of the file, and out of git's history where it was pushed.", memory_public.personal,
    ),
    Check(
        "PRIVATE_PATH_PUBLIC", MEMORY, WARNING, "No file that git carries names a place on somebody's machine.",
        "Write paths relative to the repository.", memory_public.private_paths,
    ),
)  # fmt: skip
