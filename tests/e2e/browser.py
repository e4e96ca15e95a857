"""The page of a leaderboard in a real Chromium, over DevTools' pipe: python3 browser.py CHROMIUM PAGE CONTROL WORK OTHER…

PAGE holds one section with the defenses that tests/e2e/leaderboard made up, CONTROL a page that logs an error, throws one
and asks for a picture outside: what shows that the watch sees such things. OTHER are pages that have to fit windows and to sort. Prints `ok NAME` and `not ok NAME: why`."""
import json
import os
import pathlib
import subprocess
import sys
import time


class Browser:
    def __init__(self, program, work):
        own = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-sync",
               "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
               "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + work + "/profile", "--remote-debugging-pipe"]
        to_child, self.send_fd = os.pipe()
        self.read_fd, from_child = os.pipe()

        def place():  # the pipe is looked for at 3 and 4
            a, b = os.dup(to_child), os.dup(from_child)
            while a in (3, 4):
                a = os.dup(a)
            while b in (3, 4):
                b = os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        with open(work + "/chromium.log", "w") as log:
            self.child = subprocess.Popen([program] + own, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          close_fds=False, preexec_fn=place)
        os.close(to_child)
        os.close(from_child)
        self.rest, self.count, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(domain + ".enable")

    def next_message(self):
        while b"\0" not in self.rest:
            more = os.read(self.read_fd, 1 << 16)
            if not more:
                raise EOFError("chromium went away")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_fd, json.dumps(message).encode() + b"\0")
        while True:
            got = self.next_message()
            if got.get("id") == self.count:
                if "error" in got:
                    raise RuntimeError(method + ": " + str(got["error"]))
                return got["result"]
            self.events.append(got)

    def open(self, address):
        self.events = []
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        while self.value("document.readyState") != "complete" or self.value("location.href").startswith("about:"):
            time.sleep(0.05)

    def value(self, expression):
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(expression + ": " + str(got["exceptionDetails"]))
        return got["result"].get("value")

    def complaints(self, kinds=0):
        """What was said on the console or thrown since the page was opened; waits until there are so many kinds of it."""
        for _ in range(200):
            self.value("new Promise(function (done) { setTimeout(done, 100); })")
            said = [e["method"] for e in self.events
                    if e["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]
            if len(set(said)) >= kinds:
                return said
        return said

    def requests(self):
        asked = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("file:", "data:", "about:"))]


failed = 0


def judge(name, got, expected):
    global failed
    if got == expected:
        print("ok " + name)
    else:
        failed = 1
        print("not ok %s: %.300r, expected %.300r" % (name, got, expected))


NAMES = ("[].map.call(document.querySelector('.threat:not(.hidden) table.places').tBodies[0].rows,"
         " function (r) { return r.querySelector('.name').firstChild.textContent.trim().split('<')[0]; })")


def click(b, column):
    b.value("[].filter.call(document.querySelector('.threat:not(.hidden) table.places').querySelectorAll('th button'),"
            " function (x) { return x.textContent === '%s'; })[0].click()" % column)


def choose(b, menu, value):
    b.value("(function (s) { s.value = '%s'; s.dispatchEvent(new Event('change')); })(document.getElementById('%s'))" %
            (value, menu))


def shown(b, what):
    return b.value("[].filter.call(document.querySelectorAll('%s'), function (x) { return x.offsetHeight > 0; }).length" % what)


def write(b, words):
    b.value("(function (x) { x.value = '%s'; x.dispatchEvent(new Event('input')); })(document.getElementById('find'))" % words)


# the rows of the longest table that has buttons
ROWS = ("(function () { var all = [].filter.call(document.querySelectorAll('table'), function (t) { return t.querySelector('th button'); });"
        " all.sort(function (a, b) { return b.rows.length - a.rows.length; }); return all[0]; })()")


def fit(b, page, width):
    """What every page has to do in a window of that width: fit, sort, and say nothing."""
    name = "/".join(pathlib.Path(page).parts[-2:])
    b.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    b.open(pathlib.Path(page).resolve().as_uri())
    b.value("[].forEach.call(document.querySelectorAll('details'), function (x) { x.open = true; })")
    judge("%s-fits-%d" % (name, width), b.value("document.documentElement.scrollWidth"), width)
    order = "[].map.call(%s.rows, function (r) { return r.textContent; })" % ROWS
    before = b.value(order)
    for _ in range(2):  # one of both directions is another one
        b.value("[].filter.call(%s.querySelectorAll('th button'), function (x) { return x.textContent === 'defense'; })[0].click()" % ROWS)
        after = b.value(order)
        if after != before:
            break
    judge("%s-sorts-at-%d" % (name, width), (after != before, sorted(after[1:])), (True, sorted(before[1:])))
    judge("%s-has-no-complaint-at-%d" % (name, width), b.complaints(), [])


def look(b, page):
    b.open(page)
    judge("every-attack-comes-first", b.value(NAMES), ["low", "middle", "high", "none"])
    click(b, "defense")
    judge("sorts-by-text", b.value(NAMES), ["high", "low", "middle", "none"])
    click(b, "measured")
    judge("sorts-by-number", b.value(NAMES), ["low", "middle", "high", "none"])
    click(b, "measured")
    judge("sorts-the-other-way", b.value(NAMES), ["none", "high", "middle", "low"])
    click(b, "claimed")
    judge("what-is-absent-is-last", b.value(NAMES), ["middle", "high", "none", "low"])
    click(b, "claimed")
    judge("last-the-other-way-too", b.value(NAMES), ["high", "middle", "none", "low"])
    judge("the-heading-says-how", b.value("document.querySelectorAll('th[aria-sort=descending]').length"), 1)

    # three sections: t, u (which only an attacker who is told labels reaches) and that of the real run
    judge("one-ranking-for-each-task", (shown(b, ".contest"), shown(b, ".threat")), (3, 3))
    choose(b, "threat", "0")
    judge("filters-by-attacker", (b.value(NAMES), shown(b, ".contest")), (["high", "low", "middle", "none"], 2))
    choose(b, "task", "2")
    judge("filters-by-task", (shown(b, ".contest"), shown(b, ".threat")), (1, 1))
    choose(b, "threat", "1")
    judge("who-knows-more-can-do-as-much", (shown(b, ".contest"), shown(b, ".threat")), (1, 1))
    choose(b, "task", "1")
    choose(b, "threat", "0")
    judge("says-when-nothing-fits", (shown(b, ".contest"), shown(b, "#nothing")), (0, 1))
    judge("the-address-follows", b.value("location.hash"), "#task=1&threat=0")

    write(b, "high")
    choose(b, "task", "0")
    choose(b, "threat", "any")
    judge("filters-by-words", (shown(b, "table.places tbody tr"), shown(b, ".contest")), (1, 1))
    write(b, "high no-such-word")
    judge("says-when-no-row-fits", (shown(b, ".contest"), shown(b, "#nothing")), (0, 1))
    write(b, "")

    judge("pictures-are-inside", b.value("[].every.call(document.images, function (x) { return x.src.indexOf('data:image/') === 0"
                                         " || x.getAttribute('data-gz'); })"), True)
    judge("some-are-packed", b.value("document.querySelectorAll('img[data-gz]').length > 0"), True)
    b.value("[].forEach.call(document.querySelectorAll('details'), function (x) { x.open = true; })")
    for _ in range(200):
        if b.value("[].every.call(document.images, function (x) { return x.src; })"):
            break
        time.sleep(0.05)
    choose(b, "task", "")
    choose(b, "threat", "any")
    judge("pictures-can-be-seen", b.value("Promise.all([].map.call(document.images, function (x) { return x.decode(); }))"
                                          ".then(function (all) { return all.length > 1; })"), True)
    judge("no-complaint", b.complaints(), [])
    judge("no-request", b.requests(), [])
    judge("foreign-text-does-nothing", b.value("[document.scripts.length, window.pwned === undefined]"), [1, True])
    judge("foreign-text-is-shown", b.value("document.body.textContent.indexOf('<script>window.pwned') > 0"), True)

    b.open(page + "#task=0&threat=0&sort=measured&down=1")
    judge("a-link-says-what-is-shown", (b.value(NAMES), shown(b, ".contest")), (["none", "middle", "low", "high"], 1))

    b.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
    b.open(page)
    judge("fits-a-phone", b.value("document.documentElement.scrollWidth"), 360)
    judge("sorts-on-a-phone", shown(b, ".places th button") > 0, True)

    b.call("Emulation.setScriptExecutionDisabled", value=True)
    b.open(page)
    judge("without-javascript-no-controls", shown(b, ".controls") + shown(b, "th button"), 0)
    judge("without-javascript-everything", shown(b, ".threat"), b.value("document.querySelectorAll('.threat').length"))
    b.call("Emulation.setScriptExecutionDisabled", value=False)


def main():
    b = Browser(sys.argv[1], sys.argv[4])
    try:
        b.open(pathlib.Path(sys.argv[3]).as_uri())
        judge("the-watch-sees-complaints", sorted(set(b.complaints(3))),
              ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"])
        judge("the-watch-sees-requests", b.requests(), ["http://outside.invalid/x.png"])
        look(b, pathlib.Path(sys.argv[2]).as_uri())
        for page in sys.argv[5:]:
            for width in (390, 1280):
                fit(b, page, width)
    finally:
        b.child.kill()
        b.child.wait()
    sys.exit(failed)


main()
