# Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, driven through the DevTools protocol over a pipe: no port, no driver, no packages.

    with Browser() as browser:
        page = browser.open("page.html", width=1400, height=900)
        print(page.evaluate("document.title"))
        page.screenshot("page.png")
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time


def executable():
    """The browser, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        found = shutil.which(name)
        if found:
            return found
    return None


# Text that is shown: its size, and its contrast to what is behind it as WCAG 2 defines it.
READABLE = """(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const lum = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255, v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b; };
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || /^(SCRIPT|STYLE)$/.test(e.tagName) || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    if (parseFloat(style.fontSize) < 12) bad.push(`${e.tagName} ${style.fontSize}: ${e.textContent.slice(0, 30)}`);
    let back = null;
    for (let p = e; p && !back; p = p.parentElement) {
      const c = parse(getComputedStyle(p).backgroundColor);
      if (c.length < 4 || c[3] > 0) back = c;
    }
    const ink = parse(e instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [lum(ink), lum(back || [255, 255, 255])].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push(`${e.tagName} ${ratio.toFixed(2)}: ${e.textContent.slice(0, 30)}`);
  }
  return bad; })()"""


class Browser:
    def __init__(self, timeout=120):
        self.timeout = timeout
        self.profile = tempfile.mkdtemp(prefix="kinstr-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
            "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-US",
            f"--user-data-dir={self.profile}",
        ]  # fmt: skip
        if os.geteuid() == 0:
            flags.append("--no-sandbox")

        def as_3_and_4():
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [executable(), *flags, "about:blank"], preexec_fn=as_3_and_4, close_fds=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._next, self.pages = b"", 0, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0, deadline - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._in, 1 << 20)
            if not data:
                raise EOFError("the browser is gone")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        """Sends a command and returns its result; events on the way go to their pages."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.time() + self.timeout
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if answer.get("sessionId") in self.pages:
                self.pages[answer["sessionId"]].event(answer["method"], answer["params"])

    def page_memory(self):
        """The most that the largest process of the browser held, which is the page's where the page is large [bytes]."""
        most = 0
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                if os.getsid(int(status.parent.name)) != self.process.pid:
                    continue
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
                most = max(most, 1024 * int(lines.get("VmHWM", "0 kB").split()[0]))
            except OSError:
                pass  # it is gone
        return most

    def open(self, path, width=1400, height=900, script=True, **options):
        """A page from a file, when it says that it is ready; one without a script, when it is loaded."""
        page = Page(self, width, height, **options)
        ready = "document.documentElement?.dataset.ready === 'true'" if script else "document.readyState === 'complete'"
        page.load(pathlib.Path(path).resolve().as_uri(), ready)
        return page


class Page:
    """errors: what the console and uncaught exceptions said. requests: addresses that were asked for."""

    def __init__(self, browser, width, height, dark=False, ratio=1, touch=False, reduced_motion=False):
        self.browser, self.errors, self.requests = browser, [], []
        target = browser.call("Target.createTarget", url="about:blank", newWindow=True)
        self.target = target["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if reduced_motion:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.call("Emulation.setEmulatedMedia", features=features)
        if touch:
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)

    def event(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append(f"a dialog opened: {params['message']}")

    def load(self, url, ready):
        self.call("Page.navigate", url=url)
        self.wait(f"location.href === {json.dumps(url)} && {ready}")
        self.settle()

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, condition, seconds=None):
        deadline = time.time() + (seconds or self.browser.timeout)
        while not self.evaluate(condition):
            if time.time() > deadline:
                raise TimeoutError(f"never true: {condition}; {self.errors}")
            time.sleep(0.05)

    def settle(self):
        """Until what was asked for is drawn."""
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))")

    def box(self, selector):
        """Left, top, width and height of the first such element, in CSS pixels of the window."""
        return self.evaluate(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [b.left, b.top, b.width, b.height]; })()"
        )

    def mouse(self, kind, x, y, **params):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.settle()

    def click(self, x, y, count=1):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1 if kind == "mousePressed" else 0, clickCount=count)
        self.settle()

    def drag(self, x0, y0, x1, y1, steps=5):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", buttons=1, clickCount=1)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, dy=0, dx=0, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=dx, deltaY=dy, modifiers=modifiers)
        self.settle()

    def key(self, key, modifiers=0):
        """A key by its name in KeyboardEvent.key; modifiers: 1 alt, 8 shift."""
        codes = {"Enter": 13, "Escape": 27, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40, "Tab": 9}  # fmt: skip
        params = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": codes.get(key, 0), "code": key}
        if len(key) == 1:
            params.update(text=key, code="")
        if key == "Enter":
            params["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in params.items() if k != "text"})
        self.settle()

    def type(self, text):
        for c in text:
            self.key(c)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        return self.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def unreadable(self):
        """Texts that are too small, or too much like what is behind them."""
        return self.evaluate(READABLE)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
