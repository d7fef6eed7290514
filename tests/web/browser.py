"""A headless Chromium or Firefox, driven through WebDriver BiDi (https://w3c.github.io/webdriver-bidi)."""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request

import websockets

# Names of keys, as WebDriver writes them ("Keyboard actions" of the WebDriver specification).
KEYS = {
    "Tab": "\ue004", "Enter": "\ue006", "Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a",
    "Escape": "\ue00c", "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
    "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Backspace": "\ue003",
    **{f"F{n}": chr(0xE030 + n) for n in range(1, 13)},
}


class Browser:
    """`async with Browser("chromium") as b:`; sizes and places are CSS pixels."""

    def __init__(self, name, width=1280, height=720):
        self.name, self.size, self.count = name, (width, height), 0
        self.profile = tempfile.mkdtemp()

    async def __aenter__(self):
        address = self._start_firefox() if self.name == "firefox" else self._start_chromium()
        self.socket = await websockets.connect(address, max_size=None)
        if self.name == "firefox":
            await self("session.new", capabilities={})
        tree = await self("browsingContext.getTree")
        self.context = tree["contexts"][0]["context"]
        await self.resize(*self.size)
        return self

    async def __aexit__(self, *_):
        with contextlib.suppress(RuntimeError, websockets.exceptions.WebSocketException):
            await self("browser.close")  # chromedriver, terminated, would leave Chromium running
        await self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _start_firefox(self):
        # Without a GPU, WebGL is off by default, without a touch screen touch events.
        with open(f"{self.profile}/user.js", "w") as settings:
            settings.write('user_pref("webgl.force-enabled", true);\n'
                           'user_pref("dom.w3c_touch_events.enabled", 1);\n')
        headless = [] if "DISPLAY" in os.environ else ["--headless"]  # which has no WebGL
        self.process = subprocess.Popen(
            ["firefox-esr", *headless, "--no-remote", "--remote-debugging-port", "0", "--profile", self.profile],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "WebDriver BiDi listening on " in line:
                return line.split()[-1] + "/session"
        raise SystemExit("firefox-esr ended before it listened")

    def _start_chromium(self):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "successfully on port " in line:
                port = line.split("on port ")[1].rstrip().rstrip(".")
                break
        options = {"args": ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                            "--enable-unsafe-swiftshader", f"--user-data-dir={self.profile}"]}
        body = {"capabilities": {"alwaysMatch": {"webSocketUrl": True, "goog:chromeOptions": options}}}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/session", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]["capabilities"]["webSocketUrl"]

    async def __call__(self, method, **params):
        self.count += 1
        await self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            message = json.loads(await self.socket.recv())
            if message.get("id") == self.count:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]

    async def resize(self, width, height, ratio=1.0):
        await self("browsingContext.setViewport", context=self.context,
                   viewport={"width": width, "height": height}, devicePixelRatio=ratio)

    async def open(self, url):
        await self("browsingContext.navigate", context=self.context, url=url, wait="complete")

    async def back(self, delta=-1):
        await self("browsingContext.traverseHistory", context=self.context, delta=delta)

    async def run(self, script):
        """The value of a JavaScript expression; a promise's result."""
        got = await self("script.evaluate", expression=script, awaitPromise=True,
                         target={"context": self.context})
        if got["type"] == "exception":
            raise RuntimeError(got["exceptionDetails"]["text"])
        return got["result"].get("value")

    async def until(self, script, seconds=60):
        """Waits until the expression is true."""
        for _ in range(int(seconds * 10)):
            if await self.run(script):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"after {seconds} s still false: {script}")

    async def keys(self, *chords):
        """Presses each chord, such as "F10" or "Control+Shift+C"."""
        for chord in chords:
            names = [KEYS.get(k, k) for k in (chord.split("+") if len(chord) > 1 else [chord])]
            steps = [{"type": "keyDown", "value": k} for k in names]
            steps += [{"type": "pause", "duration": 30}]
            steps += [{"type": "keyUp", "value": k} for k in reversed(names)]
            await self("input.performActions", context=self.context,
                       actions=[{"type": "key", "id": "keyboard", "actions": steps}])

    async def point(self, path, kind="mouse"):
        """Presses at the first place, moves through the others, and releases. kind: mouse or touch."""
        move = [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 40} for x, y in path]
        steps = [move[0], {"type": "pointerDown", "button": 0}, {"type": "pause", "duration": 60},
                 *move[1:], {"type": "pause", "duration": 150}, {"type": "pointerUp", "button": 0}]
        await self("input.performActions", context=self.context, actions=[
            {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps}])

    async def picture(self, file):
        shot = await self("browsingContext.captureScreenshot", context=self.context)
        with open(file, "wb") as png:
            png.write(base64.b64decode(shot["data"]))
