"""The protocol: tools and rules offered over standard input and output, each call answered by a worker process.

The event loop only speaks, so pings and cancellations are heard while a call works; a call that is cancelled or over
its time is ended with its process. Standard output belongs to the protocol: the SDK turns everything else that is
printed here to standard error, and a worker has no standard output. The roots that a client advertises are not asked
for: they may not widen what the operator gave, and that is narrow enough.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)

from advisor import __version__
from advisor.cores import cores
from advisor.faces.mcp import asked, guide, tools
from advisor.faces.mcp.harmless import Harmless
from advisor.faces.mcp.lines import whole_characters
from advisor.faces.mcp.tools import Answer
from advisor.faces.mcp.work import Lost, Work, working
from advisor.faces.workers.inside import Broken, Exhausted
from advisor.jobs.own_rules import Carried

OK, INTERRUPTED = 0, 130
AT_ONCE = max(2, min(cores(), 4))
SCHEME = "advisor://rules/"
READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


@dataclass
class Service:
    """What the handlers of one connection share."""

    roots: tuple[str, ...]
    timeout_s: float
    work: Work
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def list_tools(self, context: Any, params: Any) -> ListToolsResult:
        """Every tool with what it takes and what it gives."""
        self.outputs = self.outputs or await self.work.run(tools.outputs)
        return ListToolsResult(
            tools=[
                Tool(
                    name=name,
                    title=guide.TITLES[name],
                    description=guide.DESCRIPTIONS[name],
                    input_schema=asked.schema(model),
                    output_schema=self.outputs.get(name),
                    annotations=READ_ONLY,
                )
                for name, model in guide.MODELS.items()
            ]
        )

    async def call_tool(self, context: Any, params: CallToolRequestParams) -> CallToolResult:
        """A tool's answer; whatever goes wrong with it is an answer as well, so that the agent can read it."""
        if params.name not in tools.TOOLS:
            raise MCPError(INVALID_PARAMS, f"no tool {params.name!r}; there are: {', '.join(tools.TOOLS)}")
        answer = await self.answer(params.name, params.arguments or {})
        said = TextContent(type="text", text=answer.text)
        return CallToolResult(content=[said], structured_content=answer.data, is_error=answer.failed)

    async def answer(self, name: str, arguments: dict[str, Any]) -> Answer:
        """What a tool says, or in one line why it says nothing."""
        try:
            return await self.work.run(tools.call, name, arguments, self.roots)
        except TimeoutError:
            hint = "hand over less: the part around the failure, fewer files"
            return Answer(f"took longer than {self.timeout_s:g} s and was ended ({hint})", failed=True)
        except (Lost, Exhausted):
            return Answer("the process that worked on it was lost, for want of memory perhaps", failed=True)
        except Broken as error:
            return Answer(f"a defect in advisor itself: {error} (please report it)", failed=True)
        except Exception as error:
            what = f"a defect in advisor itself: {type(error).__name__}: {error} (please report it)"
            return Answer(what, failed=True)

    async def list_resources(self, context: Any, params: Any) -> ListResourcesResult:
        """Every rule as a page."""
        rules = await self.work.run(tools.rules)
        return ListResourcesResult(
            resources=[
                Resource(uri=SCHEME + rule, name=rule, description=summary, mime_type="text/markdown")
                for rule, summary in rules
            ]
        )

    async def list_templates(self, context: Any, params: Any) -> ListResourceTemplatesResult:
        """The form of a rule's address."""
        form = ResourceTemplate(
            uri_template=SCHEME + "{engine}/{slug}",
            name="rule",
            title="A known failure",
            description="What explain prints, by a rule's id.",
            mime_type="text/markdown",
        )
        return ListResourceTemplatesResult(resource_templates=[form])

    async def read_resource(self, context: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
        """A rule as a page."""
        uri = str(params.uri)
        if not uri.startswith(SCHEME):
            raise MCPError(INVALID_PARAMS, f"no resource {uri!r}; rules are {SCHEME}{{engine}}/{{slug}}")
        page = await self.answer("explain", {"rule": uri.removeprefix(SCHEME)})
        if page.failed:
            raise MCPError(INVALID_PARAMS, page.text)
        return ReadResourceResult(
            contents=[TextResourceContents(uri=params.uri, mime_type="text/markdown", text=page.text)]
        )


def serve(roots: tuple[str, ...], timeout_s: float, own: Carried | None = None) -> int:
    """Speak the protocol until its client is gone; the exit code. Files are read below `roots` alone."""
    try:
        with whole_characters():
            anyio.run(_speak, roots, timeout_s, own)
    except* BrokenPipeError:  # the client is gone; what it asked for was ended with its processes
        pass
    return OK


async def _speak(roots: tuple[str, ...], timeout_s: float, own: Carried | None) -> None:
    async with working(AT_ONCE, timeout_s, own) as work:
        await _spoken(Service(roots, timeout_s, work))


async def _spoken(service: Service) -> None:
    server: Server[Any] = Server(
        "advisor",
        version=__version__,
        title="Known failures of LLM inference engines",
        instructions=guide.INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_interrupted, service)
        tasks.start_soon(_warm, service)
        async with stdio_server() as (read, write):
            await server.run(read, Harmless(write), server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _warm(service: Service) -> None:
    """A first worker with the catalogue in memory, while the client still says hello."""
    try:
        await service.work.run(tools.rules)
    except Exception as error:  # the first call will meet it again, and has somebody to tell
        print(f"advisor: not warmed: {error}", file=sys.stderr)


async def _interrupted(service: Service) -> None:
    """End at once: the thread that waits for the client's next line cannot be called back."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for received in signals:
            await service.work.end()
            os._exit(INTERRUPTED if received is signal.SIGINT else 128 + received)
