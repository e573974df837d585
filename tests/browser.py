"""Chromium without a window, driven by the DevTools protocol over a WebSocket."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--mute-audio", "--autoplay-policy=no-user-gesture-required"),
    *("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"),  # a microphone that beeps
    "--force-prefers-reduced-motion",  # a click meets its element only if nothing scrolls
)
_TIMEOUT_S = 60.0


class Page:
    """A page of the browser.

    Attributes:
        console: messages on the console, errors of scripts, and requests that failed.
        downloads: folder of files that the page saves.
    """

    def __init__(self, socket: Any, downloads: Path) -> None:
        self._socket, self._number = socket, 0
        self.console: list[str] = []
        self.downloads = downloads
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.send(f"{domain}.enable")
        self.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the result of a command."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=_TIMEOUT_S))
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            self.console.append(str([each.get("value") for each in parameters["args"]]))
        elif message.get("method") == "Runtime.exceptionThrown":
            self.console.append(str(parameters["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded":
            self.console.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    def open(self, address: str) -> None:
        """Open an address, and wait until its modules have run."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """Return the value of an expression; a promise is awaited."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, condition: str) -> Any:
        """Wait until an expression is true, and return its value. The page may be reloaded meanwhile."""
        end = time.monotonic() + _TIMEOUT_S
        while time.monotonic() < end:
            try:
                if value := self.run(condition):
                    return value
            except RuntimeError as error:
                if "navigated" not in str(error):
                    raise
            time.sleep(0.05)
        raise TimeoutError(f"{condition}; console: {self.console}")

    def drop(self, *files: Path) -> None:
        """Drop files on the page."""
        data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=200, y=200, data=data)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        box = self.run(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{ block: "center", behavior: "instant" }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str, **more: Any) -> None:
        """Press and release a key, such as `ArrowRight` or `,`."""
        text = {"text": key} if len(key) == 1 and not more else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def choose(self, selector: str, value: str) -> None:
        """Choose an option of a list."""
        self.run(f"""(() => {{
            const list = document.querySelector({json.dumps(selector)});
            list.value = {json.dumps(value)};
            list.dispatchEvent(new Event("change"));
        }})()""")

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def saved(self, name: str) -> bytes:
        """Wait for a file that the page saves, and return its content."""
        path, end = self.downloads / name, time.monotonic() + _TIMEOUT_S
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return path.read_bytes()


@contextmanager
def chromium(folder: Path, language: str = "en") -> Iterator[Page]:
    """Start the browser with an empty page; its files are in `folder`."""
    from websockets.sync.client import connect

    profile = folder / "profile"
    (profile / "DevToolsActivePort").unlink(missing_ok=True)  # of an earlier browser in this folder
    options = [*_OPTIONS, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
    process = subprocess.Popen(
        [str(CHROMIUM), f"--accept-lang={language}", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with connect(_address(profile, process), max_size=None, open_timeout=_TIMEOUT_S) as socket:
            yield Page(socket, folder / "downloads")
    finally:
        process.terminate()
        process.wait(60)


def _address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Wait for the browser, and return the address of its first page."""
    from urllib.request import urlopen

    port, end = profile / "DevToolsActivePort", time.monotonic() + _TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        if port.exists() and (lines := port.read_text().split("\n"))[0]:
            with urlopen(f"http://127.0.0.1:{lines[0]}/json/list", timeout=_TIMEOUT_S) as answer:
                targets = [each for each in json.load(answer) if each["type"] == "page"]
            if targets:
                return str(targets[0]["webSocketDebuggerUrl"])
        time.sleep(0.05)
    raise TimeoutError(f"{CHROMIUM} does not start")
