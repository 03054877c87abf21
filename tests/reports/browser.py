# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, driven over a pipe by its own debugging protocol: no driver, no port, no network."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

ANSWER_S = 120  # a busy machine is slow, not broken


class Failed(Exception):
    """What the browser did not do."""


def find():
    """The browser's program, or None."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    """One page. Collects console messages, exceptions and requests from its first moment on."""

    def __init__(self, program, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="regionsim-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def hand_over():  # the protocol speaks over descriptors 3 and 4
            os.dup2(to_browser, 33)
            os.dup2(from_browser, 34)
            os.dup2(33, 3)
            os.dup2(34, 4)

        arguments = [program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", "--hide-scrollbars", f"--user-data-dir={self.profile}",
                     f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # the sandbox refuses to run as root
        # pass_fds closes all others, so the pair that hand_over() makes is named too.
        self.process = subprocess.Popen(arguments + ["about:blank"], preexec_fn=hand_over, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.console, self.requests, self.events = [], [], []
        targets = self.call("Target.getTargets", session=False)["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", {"targetId": page["targetId"], "flatten": True},
                                 session=False)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.call("Browser.close", session=False)
            self.process.wait(20)
        except (Failed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, deadline - time.monotonic()))[0]:
                return None
            piece = os.read(self.read_end, 1 << 16)
            if not piece:
                raise Failed("the browser ended")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.console.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(one.get("value", one)) for one in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.console.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def call(self, method, parameters=None, session=True):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + ANSWER_S
        while True:
            answer = self._message(deadline)
            if answer is None:
                raise Failed(f"{method}: no answer in {ANSWER_S} s")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def value(self, expression):
        """What a JavaScript expression yields; promises are waited for."""
        result = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise Failed(result["exceptionDetails"]["exception"].get("description", expression))
        return result["result"].get("value")

    def wait(self, expression):
        deadline = time.monotonic() + ANSWER_S
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise Failed(f"waited {ANSWER_S} s for {expression}")
            time.sleep(0.05)

    def size(self, width, height=900, scale=1):
        self.call("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})

    def media(self, kind="", **features):
        self.call("Emulation.setEmulatedMedia", {
            "media": kind, "features": [{"name": name.replace("_", "-"), "value": value}
                                        for name, value in features.items()]})

    def open(self, path, scripts=True):
        self.call("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.call("Page.navigate", {"url": "file://" + os.path.abspath(path)})
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def drawn(self):
        self.wait("document.documentElement.dataset.drawn === 'yes'")

    def screenshot(self, path, clip=None):
        parameters = {"format": "png", "captureBeyondViewport": clip is not None}
        if clip:
            parameters["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", parameters)["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", {"preferCSSPageSize": True})["data"])
