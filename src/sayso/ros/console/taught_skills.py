"""What the robot was taught to do, read from the folder of the library that has it."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from sayso.learning.skills import store
from sayso.learning.skills.lesson import TRIED_OUT
from sayso.ros.console.run_history import file_below


def listed(library: Path) -> list[dict[str, Any]]:
    """Each taught skill by its words, how often it was shown and failed, and pictures of that.

    One that cannot be read is listed with empty words.
    """
    return [_summary(library / store.FOLDER / name) for name in store.kept(library)]


def taught_routes(library: Path) -> tuple[BaseRoute, ...]:
    """The list at `taught`, the files of skills below it, and pictures of what was tried out."""

    async def taught(_: Request) -> Response:
        return JSONResponse(await anyio.to_thread.run_sync(listed, library))

    async def file(request: Request) -> Response:
        found = file_below(library / store.FOLDER, request.path_params["path"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return FileResponse(found)

    async def tried(request: Request) -> Response:
        found = file_below(library / TRIED_OUT, request.path_params["path"])
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND)
        return FileResponse(found)

    return (
        Route("/taught", taught),
        Route("/taught/{path:path}", file),
        Route("/tried_out/{path:path}", tried),
    )


def _summary(folder: Path) -> dict[str, Any]:
    try:
        words = str(json.loads((folder / store.FILE).read_text(encoding="utf-8"))["words"])
    except (OSError, ValueError, KeyError, TypeError):
        words = ""
    return {
        "name": folder.name,
        "words": words,
        "shown": len(list((folder / store.DEMONSTRATIONS).glob("*"))),
        "failed": len(list((folder / store.FAILED).glob("*"))),
        "pictures": sorted(p.name for p in folder.glob("*.png")),
    }
