"""Drives the browser edition as a user would: page_test.py BROWSER SITE PROGRAM [OUT].

SITE is the folder that scripts/web.sh makes, PROGRAM the native tilestep of the same sources; pictures
are written to OUT."""

import asyncio
import functools
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402

TILED = "#tilestep:version=1&kernel=%22tiled%22&step=40"


class Server:
    """SITE on a port of its own, as a plain host serves it."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    def __init__(self, site):
        handler = functools.partial(self.Quiet, directory=site)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


async def shown(b, text, seconds=30):
    """Waits until the address, which follows the scene, contains the text."""
    await b.until(f"location.hash.includes('{text}')", seconds)


async def ready(b):
    await b.until("note.hidden && bridge.staged !== null && bridge.coming.size === 0")
    await asyncio.sleep(1)  # recorded and drawn


def differing(a, b, area):
    """The share of pixels in an area (WIDTHxHEIGHT+X+Y) that differ visibly."""
    crops = []
    for file in (a, b):
        crop = file.with_suffix(".crop.png")
        subprocess.run(["convert", file, "-crop", area, "+repage", "-alpha", "off", crop], check=True)
        crops.append(crop)
    run = subprocess.run(["compare", "-metric", "AE", "-fuzz", "12%", *crops, "null:"],
                         capture_output=True, text=True)
    width, height = (int(n) for n in area.split("+")[0].split("x"))
    return float(run.stderr.split()[0]) / (width * height)


async def check_link_and_keys(b, test):
    await b.open(test.address + TILED)
    await ready(b)
    picture = test.out / f"{b.name}-link.png"
    await b.picture(picture)
    native = test.out / "native-link.png"
    subprocess.run([test.program, "render", "--scene", TILED[1:], "--pixels", "1280x720", "--out", native],
                   check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_STATE_HOME": str(test.out), "XDG_CONFIG_HOME": str(test.out)})
    share = differing(picture, native, "820x480+450+48")
    print(f"{b.name}: {100 * share:.2f}% of the stage's pixels differ from the native picture")
    assert share < 0.01, f"the stage differs from the native one: {picture}, {native}"

    await b.until("said.textContent.length > 10")  # what a screen reader reads
    await b.run("globalThis.wasSaid = said.textContent")
    await b.keys("F10")
    await b.until(f"location.hash !== '{TILED}'")
    await b.until("said.textContent !== wasSaid")
    first = await b.run("location.hash")
    await b.keys("F10")
    await b.until(f"location.hash !== '{first}'")
    await b.back()
    await b.until(f"location.hash === '{first}'")
    await b.back()
    await b.until(f"location.hash === '{TILED}'")
    await b.keys("Control+Shift+C")
    await b.until("bridge.pasted.startsWith('http') && bridge.pasted.includes('#tilestep:version=1')")


async def check_slider(b, test, kind):
    await b.open(test.address + f"?{kind}" + TILED)
    await ready(b)
    await b.point([(166, 632), (230, 632), (402, 632)], kind)
    await shown(b, "block_size=16")
    await ready(b)
    await b.picture(test.out / f"{b.name}-slider-{kind}.png")


async def check_turned(b, test):
    """A phone is turned: the window follows."""
    await b.resize(412, 915, 2.0)
    await b.open(test.address + "?turned" + TILED)
    await ready(b)
    await b.resize(915, 412, 2.0)
    await b.until("canvas.width === 1830 && canvas.height === 824")
    await asyncio.sleep(1)
    await b.picture(test.out / f"{b.name}-turned.png")
    await b.resize(1280, 720)


async def check_lesson(b, test):
    await b.open(test.address + "?lesson#lesson=3")
    await ready(b)
    for _ in range(9):
        await b.keys("PageDown")
        await asyncio.sleep(1.2)
    await b.picture(test.out / f"{b.name}-lesson.png")
    assert "beat=" in await b.run("location.hash")
    assert await b.run("said.children.length") > 1, "a screen reader gets the lesson's lines"


async def check_embed(b, test):
    await b.open(test.address + "?embed" + TILED)
    await ready(b)
    await b.run("postMessage({step: 90}, '*'), 1")
    await shown(b, "step=90")
    await asyncio.sleep(1)
    await b.picture(test.out / f"{b.name}-embed.png")


async def check_chinese(b, test):
    await b.open(test.address + TILED + "&language=%22zh%22")
    await ready(b)
    await asyncio.sleep(2)
    assert await b.run("[...bridge.asked].some((file) => file.includes('Droid'))")
    await b.picture(test.out / f"{b.name}-chinese.png")


async def check_offline(b, test):
    await b.open(test.address + TILED)
    await ready(b)
    await b.until("navigator.serviceWorker.controller !== null")
    await b.open(test.address + "?again" + TILED)  # now everything passes through the worker
    await ready(b)
    test.server.stop()
    await b.open(test.address + "?offline" + TILED)
    await ready(b)
    await b.keys("F10")
    await b.until(f"location.hash !== '{TILED}'")
    await b.picture(test.out / f"{b.name}-offline.png")


class Test:
    def __init__(self, site, program, out):
        self.server, self.program, self.out = Server(site), program, out
        self.address = self.server.address


async def main(name, site, program, out):
    test = Test(site, program, out)
    async with Browser(name) as b:
        await check_link_and_keys(b, test)
        for kind in ("mouse", "touch"):
            await check_slider(b, test, kind)
        await check_turned(b, test)
        await check_lesson(b, test)
        await check_embed(b, test)
        await check_chinese(b, test)
        await check_offline(b, test)
    print(f"{name}: all passed; pictures are in {out}")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], folder))
