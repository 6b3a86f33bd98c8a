"""Waiting."""

import asyncio


async def pause(seconds: float) -> None:
    """Let others work for so long."""
    await asyncio.sleep(seconds)
