"""A shell script's simple commands, by the grammar of bash: for everything that is not one plain command.

    export NCCL_DEBUG=INFO
    args=(--nnodes=2 --block_size=128)
    "$BIN" "${args[@]}" --node_rank=0 &
        -> `$BIN --nnodes=2 --block_size=128 --node_rank=0` with NCCL_DEBUG=INFO in its environment

Nothing runs. Assignments are followed in the order they are written; one made inside `if`, a loop or a function may
not have happened, so what it assigns is unknown afterwards.

**Source:** the node names of tree-sitter-bash 0.25, `grammar.js`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from advisor.launches.bash_tree import bash_tree, place
from advisor.launches.words import Scope, Word, prepare, resolve
from advisor.model.late import dataclass
from advisor.model.shape import Shape

if TYPE_CHECKING:
    from tree_sitter import Node

_CONDITIONAL = {
    "if_statement", "while_statement", "for_statement", "c_style_for_statement", "case_statement",
    "function_definition",
}  # fmt: skip
_WORDS = {
    "word", "number", "string", "raw_string", "ansi_c_string", "translated_string", "concatenation",
    "simple_expansion", "expansion", "command_substitution", "arithmetic_expansion", "process_substitution",
    "brace_expression", "command_name", "regex",
    "extglob_pattern", "test_operator",
}  # fmt: skip
_AT = Shape(r"\$\{[^}\n]{0,200}\}|(?<=[\w.-])([@%])(?!\()")  # not those of ${x%.*}
_TEST = Shape(r"(?:^|\s)\[\[?\s")
_SIGN = Shape(r"(?<=\s)(?:==|=~|\]\]?)(?=\s|\Z)")
_TURNING = {"for_statement": ("variable",), "c_style_for_statement": ("initializer", "update")}
_NAME = Shape(r"[A-Za-z_]\w*")
_WRITERS = {"cat", "tee", "bash", "sh", "ssh"}


@dataclass(frozen=True, slots=True)
class Binding:
    """`NAME=value` as typed; a program gets it, unless it is `assigned`, a shell variable that is not exported.

    `how` is the way it is given, by which it is edited. In shell: prefix (`env A=b` too), export, assigned, docker
    (`docker run -e`), carried (another launcher's `-x`, `-e` or `--env`). In a file: manifest, env (a Dockerfile's),
    unit (systemd's), python, json. Apart from any launch: separate. `start`..`end` are the characters of the value,
    quotes included; `name_start` where NAME begins.
    """

    name: str
    value: str
    how: str
    name_start: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Command:
    """A simple command: its words, what its environment holds as far as the text says, and the characters it spans."""

    words: tuple[Word, ...]
    environment: tuple[Binding, ...] = ()
    assigned: tuple[Binding, ...] = ()
    start: int = 0
    end: int = 0
    image: str = ""
    image_start: int = -1


@dataclass
class _State:
    scope: Scope = field(default_factory=dict)
    assigned: dict[str, Binding] = field(default_factory=dict)
    exported: dict[str, Binding] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(dict(self.scope), dict(self.assigned), dict(self.exported))

    def forget(self, branch: _State) -> None:
        """What a branch that may not have run assigned is unknown from here on."""
        for name, value in branch.scope.items():
            if self.scope.get(name) != value:
                self.lose(name)

    def lose(self, name: str) -> None:
        """Its value is not known from here on."""
        self.scope[name] = None
        self.exported.pop(name, None)
        self.assigned.pop(name, None)


_REREAD, _REREAD_LEAST, _WITHIN = 8, 1 << 20, 8


@dataclass
class _Reread:
    """What is left to read again: a here-document is read with all that stands before it, for the sake of its places,
    so thousands of them, or one in another in another, would be the square of the script."""

    characters: int
    within: int = 0

    def take(self, characters: int) -> bool:
        if self.within >= _WITHIN or characters > self.characters:
            return False
        self.characters -= characters
        self.within += 1
        return True


def commands(text: str, masked: str, scope: Scope | None = None, reread: _Reread | None = None) -> list[Command]:
    """Every simple command of the script in the order written. `masked` is what `words.prepare` made of `text`.

    `scope` are variables known from the start; `reread` says how much may be read again of here-documents.
    """
    reader = _Reader(text, scope or {}, reread or _Reread(max(_REREAD_LEAST, _REREAD * len(text))))
    reader.visit(bash_tree(_without_signs(masked)))
    return reader.found


def _without_signs(masked: str) -> str:
    """With other characters of words for those that are a sign of something else to the grammar: a word `==` or `]` of
    a test, an `@` or `%` of a pattern. It loses what stands before them."""
    masked = _AT.sub(lambda one: "-" if one[1] else one[0], masked)  # no letter: of a name it would make an assignment
    if not _SIGN.search(masked):
        return masked
    return "\n".join(
        line if _TEST.search(line) else _SIGN.sub(lambda one: "_" * len(one[0]), line) for line in masked.split("\n")
    )


class _Reader:
    def __init__(self, text: str, scope: Scope, reread: _Reread) -> None:
        self.text, self.state, self.reread = text, _State(dict(scope)), reread
        self.found: list[Command] = []

    def visit(self, node: Node) -> None:
        handler: Any = getattr(self, f"_{node.type}", None)
        if node.type in _CONDITIONAL:
            self._branch(node)
        elif handler is not None:
            handler(node)
        elif node.is_named and node.type != "comment":
            self._children(node)

    def _children(self, node: Node) -> None:
        loose: list[Node] = []
        for child in node.children:
            after_word = bool(loose) and child.type == "variable_assignment"  # `--x=1 A=b`: a word, as to bash
            if node.type in ("ERROR", "program") and (child.type in _WORDS or self._is_flag(child) or after_word):
                loose.append(child)
                continue
            self._loose(loose)
            loose = []
            self.visit(child)
        self._loose(loose)

    def _loose(self, nodes: list[Node]) -> None:
        """Words the grammar could not place: taken as a command, so that a slip elsewhere loses nothing."""
        if nodes:
            self._emit(self._words(nodes), [], place(nodes[0])[0], place(nodes[-1])[1])

    def _is_flag(self, node: Node) -> bool:
        """The grammar takes a leading `--x=1` for an assignment; to bash it is a word."""
        return node.type == "variable_assignment" and self._source(node).startswith("-")

    def _variable_assignments(self, node: Node) -> None:
        if any(map(self._is_flag, node.children)):
            self._command(node)
        else:
            self._children(node)

    def _branch(self, node: Node) -> None:
        outer, self.state = self.state, self.state.copy()
        for name in self._turning(node):
            self.state.lose(name)
        body = node.child_by_field_name("body") if node.type == "c_style_for_statement" else None
        self._children(body or node)
        outer.forget(self.state)
        self.state = outer

    def _turning(self, node: Node) -> Iterator[str]:
        """The variables that a loop sets at each turn."""
        for part in _TURNING.get(node.type, ()):
            for one in node.children_by_field_name(part):
                if found := _NAME.search(self._source(one)):
                    yield found.group()

    def _subshell(self, node: Node) -> None:
        outer, self.state = self.state, self.state.copy()
        self._children(node)
        self.state = outer

    def _list(self, node: Node) -> None:
        """`[ … ] && X=5`: what follows a test may not have run."""
        lists = [node]  # `a && b && c` is a list in a list, as deep as there are commands
        while (first := next(iter(lists[-1].named_children), None)) is not None and first.type == "list":
            lists.append(first)
        if first is not None and first.type in ("test_command", "negated_command"):
            self._branch(lists[-1])
        else:
            self._children(lists[-1])
        for outer in reversed(lists[:-1]):
            for child in outer.children[1:]:
                self.visit(child)

    def _source(self, node: Node) -> str:
        return self.text[slice(*place(node))]

    def _variable_assignment(self, node: Node) -> None:
        binding = self._assign(node)
        if binding:
            self.state.assigned[binding.name] = binding
            if binding.name in self.state.exported:
                self.state.exported[binding.name] = binding

    def _assign(self, node: Node, *, remember: bool = True) -> Binding | None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            return None
        key, appended = self._source(name), any(child.type == "+=" for child in node.children)
        if value is not None and value.type == "array":
            self._assign_array(key, value, appended)
            return None
        start, end = place(value) if value is not None else (place(node)[1],) * 2
        content = self._content(start, end)
        before = self.state.scope.get(key)
        if appended and isinstance(before, Word):
            content = Word(before.text + content.text, known=before.known and content.known)
        if remember:
            self.state.scope[key] = content if content.known else None
        return Binding(key, content.text, "assigned", place(name)[0], start, end)

    def _assign_array(self, key: str, value: Node, appended: bool) -> None:
        before = self.state.scope.get(key) if appended else ()
        elements = self._words([child for child in value.children if child.type in _WORDS])
        self.state.scope[key] = (*before, *elements) if isinstance(before, tuple) else None

    def _content(self, start: int, end: int) -> Word:
        """An assigned value as one string: no splitting; its place is that of the text between the quotes."""
        words = resolve(
            self.text, start, end, {name: one for name, one in self.state.scope.items() if not isinstance(one, tuple)}
        )
        value, known = " ".join(word.text for word in words), all(word.known for word in words)
        raw = self.text[start:end]
        for cut in (0, 1):
            if raw[cut : len(raw) - cut] == value:
                return Word(value, start + cut, end - cut, known)
        return Word(value, known=known)

    def _declaration_command(self, node: Node) -> None:
        exports = self._source(node).split(None, 2)[:2]
        exported = exports[0] == "export" or (len(exports) > 1 and exports[1].startswith("-") and "x" in exports[1])
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._variable_assignment(child)
                child = child.child_by_field_name("name") or child
            key = self._source(child)
            if exported and child.type == "variable_name" and key in self.state.assigned:
                one = self.state.assigned[key]
                self.state.exported[key] = Binding(key, one.value, "export", one.name_start, one.start, one.end)

    def _unset_command(self, node: Node) -> None:
        for child in node.named_children:
            for kept in (self.state.scope, self.state.exported, self.state.assigned):
                kept.pop(self._source(child), None)

    def _redirected_statement(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.children if child.type.endswith("redirect")]
        extra = [
            word
            for one in redirects
            if one.type == "file_redirect"
            for word in one.named_children
            if word.type in _WORDS
        ]
        strays = [
            word for word in extra if word.prev_named_sibling is not None and word.prev_named_sibling.type in _WORDS
        ]
        if body is not None and body.type == "command":
            self._command(body, strays)
        elif body is not None:
            self.visit(body)
        for one in redirects:
            if one.type == "heredoc_redirect":
                self._heredoc(one)

    def _heredoc(self, node: Node) -> None:
        """A script written to a file (`cat > run.sh <<EOF`) is read like the rest, its own expansions unknown."""
        head = self.found[-1].words[0].text if self.found and self.found[-1].words else ""
        for child in node.named_children:
            if child.type in ("pipeline", "command"):
                self.visit(child)
            if child.type != "heredoc_body" or head not in _WRITERS:
                continue
            start, end = place(child)
            if not self.reread.take(end):
                continue
            blank = "".join(char if char == "\n" else " " for char in self.text[:start]) + self.text[start:end]
            self.found.extend(commands(blank, prepare(blank).text, reread=self.reread))
            self.reread.within -= 1

    def _command(self, node: Node, strays: list[Node] | None = None) -> None:
        prefixes: list[Binding] = []
        nodes: list[Node] = []
        for child in node.children:
            if self._is_flag(child):
                nodes.append(child)
            elif child.type == "variable_assignment" and not nodes:
                if binding := self._assign(child, remember=False):
                    prefixes.append(
                        Binding(binding.name, binding.value, "prefix", binding.name_start, binding.start, binding.end)
                    )
            elif child.type in _WORDS or child.type == "variable_assignment":
                nodes.append(child)
            elif child.type == "heredoc_redirect":
                self._heredoc(child)
        nodes += strays or []
        start, end = place(node)
        self._emit(self._words(nodes), prefixes, start, place(nodes[-1])[1] if nodes else end)

    def _words(self, nodes: list[Node]) -> list[Word]:
        spans: list[tuple[int, int]] = []
        for node in nodes:
            start, end = place(node)
            if spans and spans[-1][1] == start:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return [word for start, end in spans for word in resolve(self.text, start, end, self.state.scope)]

    def _emit(self, words: list[Word], prefixes: list[Binding], start: int, end: int) -> None:
        if not words and not prefixes:  # of a quote that is never closed nothing is left
            return
        exported = tuple(one for name, one in self.state.exported.items())
        assigned = tuple(one for name, one in self.state.assigned.items() if name not in self.state.exported)
        self.found.append(Command(tuple(words), (*exported, *prefixes), assigned, start, end))
