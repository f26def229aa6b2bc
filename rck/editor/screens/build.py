"""The Build screen: catalogue, view, assembly, inspector, findings."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from rck.editor import arranging, placing
from rck.editor.screens.workshop import Workshop
from rck.editor.widgets.assembly_tree import AssemblyTree
from rck.editor.widgets.catalogue import CataloguePanel
from rck.editor.widgets.command_line import CommandLine
from rck.editor.widgets.findings import FindingsPanel
from rck.editor.widgets.inspector import Inspector
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic

PANELS = {"1": "catalogue", "2": "assembly", "3": "inspector", "4": "findings", "5": "extras"}
_PLACING = ("accept", "target", "own_port", "turn", "flip", "offset")
_SELECTION = frozenset({"arrange", "begin_on", "remove"})


class BuildScreen(Workshop):
    """Puts robots together."""

    NAME = "build"
    DEFAULT_CLASSES = "panel-catalogue"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "Place", show=True, id="accept"),
        Binding("n", "target(1)", "Next port", show=True, id="next-port"),
        Binding("N", "target(-1)", "Port before", show=False, id="previous-port"),
        Binding("b", "own_port", "Own port", show=True, id="own-port"),
        Binding("t", "turn(90)", "Turn", show=True, id="turn"),
        Binding("T", "turn(-15)", "Turn a little back", show=False, id="turn-back"),
        Binding("f", "flip", "Flip", show=True, id="flip"),
        Binding("o", "offset", "Offset", show=True, id="offset"),
        Binding("slash", "search", "Search parts", show=True, id="search"),
        Binding("c", "arrange('copy')", "Copy", show=True, id="copy"),
        Binding("x", "begin_on('replace {} ')", "Replace", show=True, id="replace"),
        Binding("delete,backspace", "remove", "Remove", show=True, id="delete"),
        Binding("m", "arrange('mirror')", "Mirror", show=False, id="mirror"),
        Binding("p", "arrange('pattern')", "Pattern", show=False, id="pattern"),
        Binding("r", "begin_on('rename {} ')", "Rename", show=False, id="rename"),
        *(Binding(key, f"panel('{name}')", name.capitalize(), show=False, id=name) for key, name in PANELS.items()),
    ]

    def urgent_actions(self) -> tuple[str, ...]:
        """While a part is being placed, its keys come first."""
        return (*_PLACING, "escape") if self.workbench.placing is not None else ()

    def panels(self) -> ComposeResult:
        """Catalogue on the left, the view in the middle, assembly and inspector on the right."""
        with Vertical(id="left"):
            yield CataloguePanel(self.workbench.session.catalogue, id="catalogue")
        yield Views(self.workbench, id="views")
        with Vertical(id="right"):
            yield AssemblyTree(self.workbench, id="assembly")
            yield Inspector(self.workbench, id="inspector")
            yield FindingsPanel(self.workbench, id="findings")
            yield PluginPanels(self.workbench, id="extras")

    def on_mount(self) -> None:
        """A newcomer starts at the search line, others at the view."""
        super().on_mount()
        self.set_class(not self.query_one(PluginPanels).empty, "has-extras")
        if self.workbench.assembly.parts:
            self.focus_view()
        else:
            self.query_one("#part-search", Input).focus()
            self.workbench.say("Type what you look for, such as round base, and press Enter. F1 explains, ? teaches.")

    def changed(self, topic: Topic) -> None:
        """Show what changed in all panels."""
        super().changed(topic)
        if not self.is_mounted or not self.query(FindingsPanel):
            return
        if topic == "opened":
            self.query_one(CataloguePanel).use(self.workbench.session.catalogue)
        if topic == "assembly":
            self.query_one(AssemblyTree).rebuild()
            self.query_one(FindingsPanel).rebuild()
            self.query_one(PluginPanels).rebuild()
        if topic == "checked":
            self.query_one(FindingsPanel).rebuild()
        if topic in ("assembly", "checked"):
            self.set_class(bool(self.workbench.findings), "has-findings")
        if topic == "selection":
            self.query_one(AssemblyTree).follow()
        if topic in ("assembly", "selection", "checked"):
            self.query_one(Inspector).rebuild()
        if topic in ("preview", "selection"):
            self.refresh_bindings()
        if topic == "preview" and self.workbench.placing is not None:
            self.query_one(CommandLine).hint(self.workbench.placing.line)

    @on(CataloguePanel.Chosen)
    def _chosen(self, event: CataloguePanel.Chosen) -> None:
        line = self.workbench.start_placing(event.part)
        if line:
            self.begin(line)
        else:
            self.focus_view()

    @on(FindingsPanel.Fix)
    def _fix(self, event: FindingsPanel.Fix) -> None:
        self.begin(event.line)

    @on(SceneView.Picked)
    def _picked(self, event: SceneView.Picked) -> None:
        """A click selects; while placing, it goes to the port or piece clicked on, and on the same again it places."""
        thing, now = event.thing, self.workbench.placing
        if now is not None:
            if thing is None:
                return
            there = (
                placing.at_target(now, thing.name) if thing.kind == "port" else placing.on_piece(now, thing.instance)
            )
            if there.end == now.end and placing.is_on(now, thing.instance):
                self.action_accept()
            else:
                self.workbench.change_placing(there)
        elif thing is None:
            self.workbench.select()
        elif event.several:
            self.workbench.toggle(thing)
        else:
            self.workbench.select(thing)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that matter now: those of placing while a part is being placed, the others otherwise."""
        if action in _PLACING:
            return self.workbench.placing is not None
        if action in _SELECTION:
            return self.workbench.placing is None and bool(self.workbench.selection)
        if action == "search":
            return self.workbench.placing is None
        return True

    def action_accept(self) -> None:
        """Place what the ghost shows."""
        self.workbench.accept_placing()

    def action_target(self, step: int) -> None:
        """Another free port."""
        if self.workbench.placing is not None:
            self.workbench.change_placing(placing.next_target(self.workbench.placing, step))

    def action_own_port(self) -> None:
        """Another of its own ports."""
        if self.workbench.placing is not None:
            self.workbench.change_placing(placing.next_port(self.workbench.placing))

    def action_turn(self, degrees: int) -> None:
        """Turn the ghost."""
        if self.workbench.placing is not None:
            self.workbench.change_placing(placing.turned(self.workbench.placing, degrees))

    def action_flip(self) -> None:
        """Turn the ghost upside down."""
        if self.workbench.placing is not None:
            self.workbench.change_placing(placing.flipped(self.workbench.placing))

    def action_offset(self) -> None:
        """Go on in the command line, where an offset can be typed."""
        if self.workbench.placing is not None:
            line = f"{self.workbench.placing.line} --offset 10"
            self.workbench.cancel_placing()
            self.begin(line)

    def action_search(self) -> None:
        """Go to the search line of the catalogue."""
        self.action_panel("catalogue")
        self.set_focus(self.query_one("#part-search", Input))

    def action_begin_on(self, template: str) -> None:
        """Begin a command about the selection."""
        names = self.workbench.selected_instances
        if names:
            self.begin(template.format(names[-1]))

    def action_arrange(self, how: str) -> None:
        """Copy, mirror or repeat the selection: one instance with a preview, several at once."""
        line = {"copy": arranging.copy_line, "mirror": arranging.mirror_line, "pattern": arranging.pattern_line}[how]
        names = arranging.top_instances(self.workbench)
        if len(names) == 1:
            self.begin(line(self.workbench, names[0]))
        elif names:
            self.workbench.do_all([line(self.workbench, name) for name in names])

    def action_remove(self) -> None:
        """Remove the selection; what stands on it is asked about by the command itself."""
        tools = [one.name for one in self.workbench.selection if one.kind == "tool"]
        names = self.workbench.selected_instances
        if tools:
            self.workbench.do(f"remove tool {' '.join(tools)}")
        if names and not self.workbench.do(f"remove {' '.join(names)}"):
            self.begin(f"remove {' '.join(names)} --with-dependents")

    def action_panel(self, name: str) -> None:
        """Show a panel and give it the keys; on a narrow terminal it takes the place of the one shown."""
        if name == "extras" and self.query_one(PluginPanels).empty:
            self.workbench.say("no plugin adds a panel here; F6 lists the plugins")
            return
        for other in PANELS.values():
            self.set_class(other == name, f"panel-{other}")
        if name == "extras":
            self.query_one(PluginPanels).focus_first()
            return
        panel = self.query_one(f"#{name}")
        target = {"catalogue": "#part-search", "inspector": "PropertyTable"}.get(name)
        self.set_focus(panel.query_one(target) if target else panel)
