"""The Build screen: catalogue, views, assembly tree, inspector, findings."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from rck.editor import placement
from rck.editor.part_offers import offer_adaptors, offer_replacements
from rck.editor.placement import PartPlacement
from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.widgets.assembly_tree import AssemblyTree
from rck.editor.widgets.catalogue_panel import CataloguePanel
from rck.editor.widgets.command_line import CommandLine
from rck.editor.widgets.findings_panel import FindingsPanel
from rck.editor.widgets.inspector import Inspector
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.view_grid import ViewGrid
from rck.editor.workbench import Topic
from rck.grammar import quote

PANELS = {"1": "catalogue", "2": "assembly", "3": "inspector", "4": "findings", "5": "extras"}
_PLACING = ("accept", "target", "own_port", "turn", "flip", "offset")
_SELECTION = frozenset({"arrange", "begin_on", "remove", "replace"})


class BuildScreen(AssemblyScreen):
    """The screen where robots are assembled."""

    NAME = "build"
    DEFAULT_CLASSES = "panel-catalogue"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "Place", show=True, id="accept"),
        Binding("n", "target(1)", "Next port", show=True, id="next-port"),
        Binding("N", "target(-1)", "Previous port", show=False, id="previous-port"),
        Binding("b", "own_port", "Own port", show=True, id="own-port"),
        Binding("t", "turn(90)", "Rotate 90°", show=True, id="turn"),
        Binding("T", "turn(-15)", "Rotate -15°", show=False, id="turn-back"),
        Binding("f", "flip", "Flip", show=True, id="flip"),
        Binding("o", "offset", "Offset", show=True, id="offset"),
        Binding("slash", "search", "Search parts", show=True, id="search"),
        Binding("c", "arrange('copy')", "Copy", show=True, id="copy"),
        Binding("x", "replace", "Replace", show=True, id="replace"),
        Binding("delete,backspace", "remove", "Remove", show=True, id="delete"),
        Binding("m", "arrange('mirror')", "Mirror", show=False, id="mirror"),
        Binding("p", "arrange('pattern')", "Pattern", show=False, id="pattern"),
        Binding("r", "begin_on('rename {} ')", "Rename", show=False, id="rename"),
        Binding("E", "begin_on('explode {}')", "Explode", show=False, id="explode"),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False, id=name) for key, name in PANELS.items()),
    ]

    def urgent_actions(self) -> tuple[str, ...]:
        """Put the keys for placing first while a part is being placed."""
        return (*_PLACING, "escape") if self.workbench.placing is not None else ()

    def panels(self) -> ComposeResult:
        """Add the catalogue on the left, the views in the middle, the other panels on the right."""
        with Vertical(id="left"):
            yield CataloguePanel(self.workbench.session.catalogue, id="catalogue")
        yield ViewGrid(self.workbench, id="views")
        with Vertical(id="right"):
            yield AssemblyTree(self.workbench, id="assembly")
            yield Inspector(self.workbench, id="inspector")
            yield FindingsPanel(self.workbench, id="findings")
            yield PluginPanels(self.workbench, self.NAME, id="extras")

    def on_mount(self) -> None:
        """Focus the search line if the assembly is empty, else the view."""
        super().on_mount()
        if self.workbench.assembly.parts:
            self.focus_view()
        else:
            self.query_one("#part-search", Input).focus()
            self.workbench.log("Search for a part, such as round base, and press Enter. F1: help, ?: tutorial.")

    def follow(self, topic: Topic) -> None:
        """Update the panels that show a changed topic."""
        super().follow(topic)
        if not self.is_mounted or not self.query(FindingsPanel):
            return
        if topic == "opened":
            self.query_one(CataloguePanel).use(self.workbench.session.catalogue)
        if topic == "assembly":
            self.query_one(AssemblyTree).rebuild()
        if topic in ("assembly", "checked"):
            self.query_one(FindingsPanel).rebuild()
            self.set_class(bool(self.workbench.findings), "has-findings")
        if topic == "selection":
            self.query_one(AssemblyTree).follow_selection()
        if topic in ("assembly", "selection", "checked"):
            self.query_one(Inspector).rebuild()
        if topic in ("preview", "selection"):
            self.refresh_bindings()
        if topic == "preview" and self.workbench.placing is not None:
            self.query_one(CommandLine).show_command(self.workbench.placing.line)

    @on(CataloguePanel.Chosen)
    def _start_placing(self, event: CataloguePanel.Chosen) -> None:
        bench, panel, offer = self.workbench, self.query_one(CataloguePanel), event.offer
        panel.offer(None)
        if offer is not None and offer.replaced:
            self.focus_view()
            self.begin(offer.command(event.part))
            return
        mount, next_part = ("", "") if offer is None else (offer.mounts[event.part], offer.next_part)
        if bench.start_placing(event.part, mount, next_part):
            self.focus_view()
        elif (adaptors := offer_adaptors(bench.session, event.part)) is not None:
            panel.offer(adaptors)
            bench.log(f"{event.part} fits no free port; choose an adaptor for it, or press Escape")
        else:
            bench.log(f"{event.part} fits no free port; create it unattached, or attach it with `mate`")
            self.begin(f"create {quote(event.part)}")

    @on(FindingsPanel.Fix)
    def _begin_fix(self, event: FindingsPanel.Fix) -> None:
        self.begin(event.line)

    @on(SceneView.Picked)
    def _pick(self, event: SceneView.Picked) -> None:
        """Select the clicked object; while placing, move the ghost there, or place it on a second click."""
        thing, current = event.thing, self.workbench.placing
        if current is not None:
            if thing is None:
                return
            moved = (
                placement.at_target(current, thing.name)
                if thing.kind == "port"
                else placement.on_instance(current, thing.instance)
            )
            if moved.end == current.end and placement.is_on(current, thing.instance):
                self.action_accept()
            else:
                self.workbench.change_placing(moved)
        elif thing is None:
            self.workbench.select()
        elif event.add:
            self.workbench.toggle(thing)
        else:
            self.workbench.select(thing)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys for placing only while a part is being placed, the others otherwise."""
        if action in _PLACING:
            return self.workbench.placing is not None
        if action in _SELECTION:
            return self.workbench.placing is None and bool(self.workbench.selection)
        if action == "search":
            return self.workbench.placing is None
        return True

    def action_accept(self) -> None:
        """Place the part as previewed."""
        self.workbench.accept_placing()

    def _change_placing(self, change: Callable[..., PartPlacement], *arguments: int) -> None:
        if self.workbench.placing is not None:
            self.workbench.change_placing(change(self.workbench.placing, *arguments))

    def action_target(self, step: int) -> None:
        """Move the ghost to another free port."""
        self._change_placing(placement.next_target, step)

    def action_own_port(self) -> None:
        """Mate another port of the part."""
        self._change_placing(placement.next_port)

    def action_turn(self, degrees: int) -> None:
        """Rotate the ghost."""
        self._change_placing(placement.rotate, degrees)

    def action_flip(self) -> None:
        """Turn the ghost upside down."""
        self._change_placing(placement.flip)

    def action_offset(self) -> None:
        """Continue in the command line, where an offset can be typed."""
        if self.workbench.placing is not None:
            line = f"{self.workbench.placing.line} --offset 10"
            self.workbench.cancel_placing()
            self.begin(line)

    def action_search(self) -> None:
        """Focus the search line of the catalogue."""
        self.action_panel("catalogue")

    def action_leave_catalogue(self) -> None:
        """Show all parts again, and return to the view."""
        self.query_one(CataloguePanel).offer(None)
        self.focus_view()

    def action_replace(self) -> None:
        """Offer the parts of the catalogue that can replace the selected instance."""
        names = self.workbench.selected_instances
        if names:
            self.query_one(CataloguePanel).offer(offer_replacements(self.workbench.session, names[-1]))
            self.action_panel("catalogue")

    def action_begin_on(self, template: str) -> None:
        """Begin a command about the selected instance."""
        names = self.workbench.selected_instances
        if names:
            self.begin(template.format(names[-1]))

    def action_arrange(self, arrangement: str) -> None:
        """Copy, mirror or repeat the selection: preview the command for one instance, run it for several."""
        bench = self.workbench
        names = placement.branch_roots(bench.assembly, bench.selected_instances)
        lines = [placement.arrangement_line(arrangement, bench.assembly, bench.built.value, name) for name in names]
        if len(lines) == 1:
            self.begin(lines[0])
        elif lines:
            bench.run(*lines)

    def action_remove(self) -> None:
        """Remove the selection; if other instances depend on it, begin the command that removes them too."""
        tools = [thing.name for thing in self.workbench.selection if thing.kind == "tool"]
        names = self.workbench.selected_instances
        if tools:
            self.workbench.run(f"remove tool {' '.join(tools)}")
        if names and not self.workbench.run(f"remove {' '.join(names)}"):
            self.begin(f"remove {' '.join(names)} --with-dependents")

    def action_panel(self, name: str) -> None:
        """Show and focus a panel; on a narrow terminal it replaces the visible one."""
        extras = self.query_one(PluginPanels)
        if name == "extras" and extras.empty:
            self.workbench.log("no plugin adds a panel; F6 lists the plugins")
            return
        for other in PANELS.values():
            self.set_class(other == name, f"panel-{other}")
        if name == "extras":
            extras.focus_first()
            return
        target = {"catalogue": "#part-search", "inspector": "PropertyTable"}.get(name, f"#{name}")
        self.set_focus(self.query_one(target))
