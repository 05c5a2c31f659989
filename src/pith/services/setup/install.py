"""Put pith's hooks into a host's settings, and take them out again as if they had never been there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pith.adapters import hook_program, hosts
from pith.adapters.hook_program import Program
from pith.adapters.hosts import Host
from pith.files import json_edit, settings_file
from pith.files.json_edit import JsonUnreadable, Node
from pith.files.settings_file import SettingsFile, SettingsUnusable
from pith.services.setup.change import Change, apply, receipts, turn

_A = {
    "object": "an object", "array": "an array", "string": "a text", "number": "a number", "word": "one word",
}  # fmt: skip
HOOKS = "hooks"  # the member of a settings file, and of each of its groups


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook of ours in a settings file, and its place: `hooks.<event>[group].hooks[index]`."""

    event: str
    group: int
    index: int
    handler: Mapping[str, Any]

    @property
    def path(self) -> json_edit.Path:
        return (HOOKS, self.event, self.group, HOOKS, self.index)


def install(name: str, *, dry_run: bool = False, program: Program | None = None) -> Change:
    """Make the host call this pith at every event it listens to; a second time changes nothing."""
    host, program = hosts.host(name), program or hook_program.here()
    with turn(dry_run):
        file = _read(host)
        with _readable(file, host, program):
            text, receipt = _installed(file, host, program)
        notes = (*_warnings(file, host, program), *host.after_install)
        return apply(file, host.name, text, receipt, notes, dry_run)


def uninstall(name: str, *, dry_run: bool = False) -> Change:
    """Take every hook of any pith out; what stays is, byte for byte, what stood there before."""
    host = hosts.host(name)
    with turn(dry_run):
        file = _read(host)
        receipt = receipts().get(file.path)
        if file.blank:
            return apply(file, host.name, file.text, None, (), dry_run)
        with _readable(file, host, None):
            text = _uninstalled(file.text or "", host, receipt or {})
        return apply(file, host.name, text, None, (), dry_run)


def backups(name: str) -> list[str]:
    """The copies of the host's settings that installing left beside them, the oldest first."""
    return settings_file.backups(hosts.host(name).settings())


def remove_backups(name: str) -> list[str]:
    """Delete these copies; return those that the system keeps."""
    return settings_file.remove_backups(hosts.host(name).settings())


def ours(root: Node, host: Host) -> list[Hook]:
    """Return every hook of pith in parsed settings, in the order of the file."""
    found = []
    hooks = root.get(HOOKS)
    events = hooks.plain() if hooks else {}
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group, body in enumerate(groups if isinstance(groups, list) else ()):
            handlers = body.get(HOOKS) if isinstance(body, dict) else None
            for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and _is_ours(handler, host):
                    found.append(Hook(event, group, index, handler))
    return found


def block(host: Host, program: Program) -> str:
    """Return the hooks as a text to paste by hand."""
    hooks = {event: [{HOOKS: [host.handler(event, program)]}] for event in host.events}
    return json.dumps({HOOKS: hooks}, ensure_ascii=False, indent=2)


def _is_ours(handler: Mapping[str, Any], host: Host) -> bool:
    return hook_program.is_ours(str(handler.get("command", "")), host.words(handler))


# -- Texts ---------------------------------------------------------------------------------------------------


def _installed(file: SettingsFile, host: Host, program: Program) -> tuple[str, dict[str, Any]]:
    """Return the text with our hooks, and the receipt that lets it be undone."""
    receipt: dict[str, Any] = {}
    text = file.text or ""
    if file.blank:
        receipt["blank"] = file.text
        text = "{}\n"
    root = json_edit.parse(text)
    _demand_shape(text, root, file, host)
    if not file.blank:
        receipt["empty"] = _empties(text, root, host)
    if ours(root, host):
        receipt = _joined(receipts().get(file.path, {}), receipt)
    text = _without_strays(text, host, _insides(receipt))
    for event in host.events:
        text = _with_event(text, host, event, host.handler(event, program))
    return text, receipt


def _without_strays(text: str, host: Host, inside: Mapping[json_edit.Path, str]) -> str:
    """Take out hooks of ours at events we no longer listen to, and all but the first at each other event."""
    seen, strays = set(), []
    for hook in ours(json_edit.parse(text), host):
        if hook.event in seen or hook.event not in host.events:
            strays.append(hook)
        seen.add(hook.event)
    text = _without(text, strays)
    for event in seen.difference(host.events):
        text = _settle(text, (HOOKS, event), inside)
    return text


def _with_event(text: str, host: Host, event: str, handler: dict[str, Any]) -> str:
    root = json_edit.parse(text)
    present = next((hook for hook in ours(root, host) if hook.event == event), None)
    if present:  # replaced where it stands: Codex keeps its users' trust by position
        return text if present.handler == handler else json_edit.replace(text, present.path, handler)
    groups = [{HOOKS: [handler]}]
    if root.get(HOOKS) is None:
        return json_edit.put(text, (), HOOKS, {event: groups})
    if json_edit.find(root, (HOOKS, event)) is None:
        return json_edit.put(text, (HOOKS,), event, groups)
    return json_edit.append(text, (HOOKS, event), groups[0])


def _uninstalled(text: str, host: Host, receipt: Mapping[str, Any]) -> str | None:
    """Return the text without our hooks and what was made for them; None where there was no file."""
    found = ours(json_edit.parse(text), host)
    if not found:
        return text
    text = _without(text, found)
    inside = _insides(receipt)
    for path in [*((HOOKS, event) for event in {hook.event: None for hook in found}), (HOOKS,)]:
        text = _settle(text, path, inside)
    if json_edit.parse(text).parts:
        return text
    if "blank" in receipt:
        blank: str | None = receipt["blank"]
        return blank
    return json_edit.set_interior(text, (), inside.get((), ""))


def _without(text: str, hooks: list[Hook]) -> str:
    """Take hooks out, the last first so that places stay true, and groups that hold nothing else."""
    for hook in reversed(hooks):
        group = json_edit.find(json_edit.parse(text), (HOOKS, hook.event, hook.group, HOOKS))
        alone = group is not None and len(group.parts) == 1
        text = json_edit.remove(text, hook.path[:3] if alone else hook.path)
    return text


def _settle(text: str, path: json_edit.Path, inside: Mapping[json_edit.Path, str]) -> str:
    """Take away a container that we left empty; one that was empty before gets its old inside back."""
    box = json_edit.find(json_edit.parse(text), path)
    if box is None or box.parts:
        return text
    if path in inside:
        return json_edit.set_interior(text, path, inside[path])
    return json_edit.remove(text, path)


def _insides(receipt: Mapping[str, Any]) -> dict[json_edit.Path, str]:
    """Return what stood between the brackets of each container that was empty before."""
    return {tuple(path): inside for path, inside in receipt.get("empty", ())}


def _empties(text: str, root: Node, host: Host) -> list[tuple[json_edit.Path, str]]:
    """Return the containers we are about to fill that stand empty, with what is between their brackets."""
    paths: list[json_edit.Path] = [(), (HOOKS,), *((HOOKS, event) for event in host.events)]
    boxes = ((path, json_edit.find(root, path)) for path in paths)
    return [(path, json_edit.interior(text, path)) for path, box in boxes if box and not box.parts]


def _demand_shape(text: str, root: Node, file: SettingsFile, host: Host) -> None:
    """Raise SettingsUnusable where hooks have no place, or two of them."""
    _demand(root, "object", "the settings", text, file)
    hooks = _only(root, HOOKS, text, file)
    if hooks is None:
        return
    _demand(hooks, "object", f"`{HOOKS}`", text, file)
    for event in host.events:
        groups = _only(hooks, event, text, file)
        if groups is not None:
            _demand(groups, "array", f"`{HOOKS}.{event}`", text, file)


def _demand(node: Node, kind: str, what: str, text: str, file: SettingsFile) -> None:
    if node.kind != kind:
        where = json_edit.place(text, node.start)
        raise SettingsUnusable(f"{file.path}, {where}: {what} should be an {kind} and is {_A[node.kind]}.")


def _only(node: Node, key: str, text: str, file: SettingsFile) -> Node | None:
    places = [part.start for part in node.parts if part.key == key]
    if len(places) > 1:
        where = json_edit.place(text, places[1])
        raise SettingsUnusable(
            f"{file.path}, {where}: `{key}` stands here a second time, and the host reads only the last.",
            hint="Make one of the two, then try again; nothing was changed.",
        )
    return node.get(key)


# -- Files ---------------------------------------------------------------------------------------------------


def _read(host: Host) -> SettingsFile:
    return settings_file.read(host.settings())


@contextmanager
def _readable(file: SettingsFile, host: Host, program: Program | None) -> Iterator[None]:
    """Tell a file that is no JSON apart, with the text that may be pasted by hand."""
    try:
        yield
    except JsonUnreadable as error:
        hint = "Mend it and try again, or take out the hooks of pith by hand."
        if program:
            hint = f"Mend it and try again, or add this by hand:\n\n{block(host, program)}"
        where = str(error)[:1].lower() + str(error)[1:]
        raise JsonUnreadable(f"{file.path} is no JSON and was left alone; {where}", hint=hint) from error


def _warnings(file: SettingsFile, host: Host, program: Program) -> Iterator[str]:
    if hook_program.is_temporary(program):
        yield "This pith runs from a temporary place and will be gone; install it with `pipx` or `uv tool`."
    if plugin := _plugin(host, file):
        yield f"The plugin {plugin} calls pith already, and one of the two is enough: `pith uninstall {host.name}`."
    if not file.blank and not json_edit.is_strict(file.text or ""):
        yield f"{host.title} may ignore {file.path}: it accepts no comments and no trailing commas."


def _plugin(host: Host, file: SettingsFile) -> str:
    """Return the plugin by which the host calls pith, as its settings tell; nothing where none does."""
    settings = {} if file.blank else json_edit.parse(file.text or "").plain()
    return host.plugin(settings if isinstance(settings, Mapping) else {})


def _joined(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Add what a newer version fills besides to the receipt of the older one."""
    return {**old, "empty": list({**_insides(new), **_insides(old)}.items())}
