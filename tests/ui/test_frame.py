"""The frame: who may speak to it, what it remembers, and what it lets out."""

import base64
import contextlib
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from browser import calm, visit
from gallery import MODULES
from playwright.sync_api import Browser, Page, expect
from staying import Stay

from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui import app
from lab.ui.components.memo import Memo
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.blocks import LabBlocks
from lab.ui.shell.document import framed
from lab.ui.shell.frame import guarded
from lab.ui.shell.shield import Shield, host_name, named_hosts

MB = 2**20


# ---- the shield


async def inner(scope: Any, receive: Any, send: Any) -> None:
    """Stands for Gradio: reads the whole body, answers with a page that holds the query it was given."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        more = message.get("more_body", False)
    body = b"<html><head></head><script>1</script>" + scope["query_string"] + b"</html>"
    head = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


def ask(
    path: str = "/",
    method: str = "GET",
    host: str = "127.0.0.1:7860",
    profile: str = "laptop",
    hosts: tuple[str, ...] = (),
    query: str = "",
    body: tuple[bytes, ...] = (b"",),
    shield: Shield | None = None,
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request through the shield with a limit of 1 MB; status 0 if none came."""
    shield = shield or Shield(inner, profile=profile, limit=MB, hosts=frozenset(hosts))
    given = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode()}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in given.items()]
    parts = [{"type": "http.request", "body": part, "more_body": i < len(body) - 1} for i, part in enumerate(body)]
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    with contextlib.suppress(StopIteration):
        shield(scope, receive, send).send(None)  # nothing here ever waits, so no event loop is needed
    if not sent:
        return 0, {}, b""
    start = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], start, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:7860", "[::1]:7860", "LOCALHOST:1"])
def test_a_laptop_answers_to_its_own_names(host: str) -> None:
    assert ask(host=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "192.168.1.5", "localhost.evil.example", "", "[::1", "127.0.0.1.nip.io"]
)
def test_a_laptop_answers_to_nobody_elses_name(host: str) -> None:
    assert ask(host=host)[0] == 400


def test_a_classroom_answers_to_addresses_and_to_the_names_it_was_told() -> None:
    assert ask(host="192.168.1.5:7860", profile="classroom")[0] == 200
    assert ask(host="lab.school", profile="classroom")[0] == 400
    assert ask(host="lab.school", profile="classroom", hosts=("lab.school",))[0] == 200


def test_a_page_is_found_under_its_name_too() -> None:
    shield = Shield(inner, profile="laptop", limit=MB, pages=("attention", "start"))
    for query, place in (
        ("", "./?page=attention"),
        ("run=bert&text=%22%E4%BD%A0", "./?page=attention&run=bert&text=%22%E4%BD%A0"),
    ):
        status, head, _ = ask("/attention", query=query, shield=shield)
        assert status == 307 and head["location"] == place and "content-security-policy" in head
    assert ask("/attention", host="evil.example", shield=shield)[0] == 400
    assert "location" not in ask("/attentions", shield=shield)[1] and ask("/attentions", shield=shield)[0] == 200
    assert ask("/attention", method="POST", shield=shield)[0] == 200  # which is Gradio's to refuse


def test_files_are_refused_while_too_many_wait_to_be_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.ui.shell.shield.get_upload_folder", lambda: str(tmp_path / "brought"))
    assert ask("/gradio_api/upload", method="POST")[0] == 200, "nothing has been brought yet"
    (tmp_path / "brought" / "a").mkdir(parents=True)
    (tmp_path / "brought" / "a" / "text.txt").write_bytes(b"x" * 39 * MB)
    assert ask("/gradio_api/upload", method="POST")[0] == 200
    (tmp_path / "brought" / "b.txt").write_bytes(b"x" * 2 * MB)
    status, _, said = ask("/gradio_api/upload", method="POST")
    assert status == 507 and b"no room for files" in said
    assert ask("/gradio_api/queue/join", method="POST")[0] == 200, "all else goes on"


@pytest.mark.parametrize("path", ["/gradio_api/openapi.json", "/gradio_api/heartbeat/x", "/gradio_api/dev/reload"])
def test_routes_without_a_use_are_not_served(path: str) -> None:
    assert ask(path)[0] == 403


def test_host_names_come_from_the_environment() -> None:
    told = {"CLOZE_LAB_HOSTS": "Lab.School, two.example", "SPACE_HOST": "me-lab.hf.space"}
    assert named_hosts(told) == {"lab.school", "two.example", "me-lab.hf.space"}
    assert host_name("[::1]:80") == "::1"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_a_page_of_another_site_cannot_post(headers: dict[str, str]) -> None:
    assert ask("/gradio_api/upload", "POST", **headers)[0] == 403


def test_our_own_page_and_programs_can_post() -> None:
    assert ask("/gradio_api/run/x", "POST", origin="http://127.0.0.1:7860", sec_fetch_site="same-origin")[0] == 200
    assert ask("/gradio_api/run/x", "POST")[0] == 200
    space = {"profile": "space", "hosts": ("me.hf.space",), "host": "10.0.0.7", "origin": "https://me.hf.space"}
    assert ask("/gradio_api/run/x", "POST", **space)[0] == 200  # type: ignore[arg-type]


def test_a_large_body_is_refused_before_it_is_read() -> None:
    assert ask("/x", "POST", content_length=str(MB + 1))[0] == 413
    assert ask("/x", "POST", content_length="many")[0] == 413
    assert ask("/x", "POST", content_length=str(MB))[0] == 200


def test_a_body_without_a_length_is_cut_at_the_limit() -> None:
    assert ask("/x", "POST", body=(b"x" * MB, b"x"))[0] == 0
    assert ask("/x", "POST", body=(b"x" * (MB - 1), b"x"))[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=https://example.org/a",
        "/gradio_api/FILE=http:/x",
        "/gradio_api/proxy=https://x",
        "/monitoring",
    ],
)
def test_the_server_fetches_nothing_for_others_and_shows_no_dashboard(path: str) -> None:
    assert ask(path)[0] == 403


def test_every_answer_carries_the_security_headers() -> None:
    for status, headers, _ in (ask(), ask(host="evil.example")):
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "object-src 'none'" in policy, status
        assert "frame-ancestors 'self' https://huggingface.co https://*.hf.space" in policy
        assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"


def test_of_the_scripts_in_the_page_those_run_that_stand_there_and_no_other() -> None:
    _, headers, body = ask()
    allowed = headers["content-security-policy"].split("script-src ")[1].split(";")[0].split()
    mark = base64.b64encode(hashlib.sha256(b"1").digest()).decode()
    assert allowed == ["'self'", "'unsafe-eval'", f"'sha256-{mark}'"]
    assert b"<script>1</script>" in body and int(headers["content-length"]) == len(body)
    assert "sha256" not in ask("/x", "POST")[1]["content-security-policy"]


def test_gradio_is_asked_for_the_page_once_for_each_address_and_told_nothing_else() -> None:
    asked: list[Any] = []

    async def gradio(scope: Any, receive: Any, send: Any) -> None:
        asked.append([scope["query_string"], dict(scope["headers"])])
        await inner(scope, receive, send)

    shield = Shield(gradio, profile="laptop", limit=MB)
    for query, host, cookie in (("lang=zh", "localhost", "a"), ("text=hi", "localhost", "b"), ("", "127.0.0.1", "c")):
        status, _, body = ask(query=query, host=host, shield=shield, cookie=cookie)
        assert status == 200 and b"<script>1</script>" in body
    assert asked == [[b"", {b"host": b"localhost"}], [b"", {b"host": b"127.0.0.1"}]]


def test_whether_the_lab_runs_is_answered_without_gradio() -> None:
    """Gradio asks so itself as it starts, and gives up after three seconds: a page takes a busy machine longer."""

    async def gradio(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("asked for a page")

    status, headers, body = ask("/", "HEAD", shield=Shield(gradio, profile="laptop", limit=MB))
    assert status == 200 and not body and "content-security-policy" in headers


def test_a_page_does_not_hear_that_it_stands_in_a_space(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would ask Hugging Face about it, and Google for fonts, which its policy refuses."""
    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "somebody/lab")
    with LabBlocks(analytics_enabled=False) as blocks:
        pass
    assert blocks.space_id == "somebody/lab" and "somebody" not in json.dumps(blocks.get_config_file(), default=str)


def test_gradio_never_sees_our_name_for_a_page() -> None:
    told = ask("/gradio_api/run/x", query="page=attention&text=hi&lang=zh")[2]
    assert b"text=hi&lang=zh" in told and b"page=" not in told


def test_the_page_loses_gradios_advertisements() -> None:
    page = (
        '<head><meta property="og:image" content="https://x"/><link rel="manifest" href="/m"></head><script>1</script>'
    )
    assert framed(page, "<b>") == "<head><b></head><script>1</script>"


# ---- the app


@pytest.fixture(scope="module")
def built() -> gr.Blocks:
    return app.create_app(MODULES)  # type: ignore[arg-type]


def test_the_app_builds_with_every_page_that_there_is_and_a_timer_asks_one_question() -> None:
    """A class that looks on asks it thirty times a second."""
    whole = app.create_app()
    timers = [block for block in whole.blocks.values() if isinstance(block, gr.Timer)]
    asked = Counter(target for fn in whole.fns.values() for target, event in fn.targets if event == "tick")
    assert asked == Counter(timer._id for timer in timers) and len(timers) > 4


def test_an_idle_server_seldom_looks_into_its_queue(built: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    queue, slept = built._queue, list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        queue.stopped = len(slept) > 2

    monkeypatch.setattr("gradio.queueing.asyncio.sleep", sleep)
    for looks in (queue.start_processing, queue.start_progress_updates):
        slept.clear()
        queue.stopped = False
        with pytest.raises(StopIteration):  # run by hand, to its end: it waits for nothing but these sleeps
            looks().send(None)
        assert len(slept) == 3 and min(slept) == app.LOOK


def test_no_handler_of_a_page_has_a_public_name(built: gr.Blocks) -> None:
    assert {fn.api_visibility for fn in built.fns.values()} <= {"private"}


def test_the_launch_is_closed_where_gradio_is_open() -> None:
    chosen = app.options()
    closed = ("share", "enable_monitoring", "run_history", "show_error", "ssr_mode", "mcp_server", "pwa")
    assert not any(chosen[name] for name in closed) and chosen["allowed_paths"] == []
    assert chosen["max_file_size"] == limits().upload


@pytest.mark.parametrize("sent", ["", "f" * 31, "F" * 32, "../../etc/passwd", None, 7, ["f" * 32]])
def test_what_is_no_visitor_arrives_as_nobody(sent: Any) -> None:
    assert Memo(pattern=r"[0-9a-f]{32}").preprocess(sent) == ""


def test_an_error_leaves_the_outputs_alone_and_becomes_a_note() -> None:
    def fails() -> Values:
        raise SettingsError("too long", "太长")

    kept_a, kept_b, note = guarded(fails, 2, ["a", "b"])()
    assert kept_a == kept_b == gr.skip() and note["text"] == {"en": "Too long", "zh": "太长"}


def test_a_handler_that_succeeds_says_nothing() -> None:
    assert guarded(lambda: 1, 1)() == [1, gr.skip()]
    assert guarded(lambda: (1, 2), 2)()[-1]  # several answers have names
    assert guarded(lambda: [1, 2], 1)() == [[1, 2], gr.skip()]
    assert guarded(lambda: None, 0)() == [gr.skip()]


def test_an_answer_by_name_leaves_alone_what_it_does_not_name_and_may_bring_a_note() -> None:
    assert guarded(lambda: {"b": 2}, 2, ["a", "b"])() == [gr.skip(), 2, gr.skip()]
    assert guarded(lambda: {}, 2, ["a", "b"])() == [gr.skip()] * 3
    noted = guarded(lambda: {"a": 1, NOTE: SettingsError("gone", "没有了")}, 2, ["a", "b"])()
    assert noted[:2] == [1, gr.skip()] and noted[2]["text"] == {"en": "Gone", "zh": "没有了"}


def test_a_name_that_no_component_has_is_a_fault_of_ours() -> None:
    *kept, note = guarded(lambda: {"c": 3}, 2, ["a", "b"])()
    assert kept == [gr.skip()] * 2 and note["title"] == {"word": "frame.error.title"} and not note["mild"]


def test_a_stream_that_breaks_keeps_what_it_had_said() -> None:
    def stream() -> Iterator[int]:
        yield 1
        raise SettingsError("stop", "停")

    first, last = guarded(stream, 1)()
    assert first == [1, gr.skip()] and last[0] == gr.skip() and last[1]["mild"]


# ---- in the browser


def test_a_handler_hears_the_visitor_the_language_and_the_address(gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize", text="from a link", many=7)
    expect(page.locator("#heard textarea")).to_have_value(re.compile(r"^from a link \| 7 \| [0-9a-f]{32} \| en$"))
    first = page.locator("#heard textarea").input_value()
    page.reload()
    expect(page.locator("#heard textarea")).to_have_value(first)  # the same visitor


@pytest.mark.parametrize(("many", "becomes"), [("99", "10"), ("-5", "1"), ("seven", "3"), ("", "3")])
def test_an_address_cannot_hold_what_the_control_cannot(many: str, becomes: str, gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize", many=many)
    expect(page.locator("#many input[type=number]")).to_have_value(becomes)


def test_only_the_open_page_is_mounted(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "parameters")
    assert page.locator("#pages h1").count() == 1
    page.get_by_role("link", name="Generate").click()
    expect(page.locator("#bars")).to_be_visible()
    expect(page.get_by_role("link", name="Generate")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title(re.compile("Generate"))


def test_the_address_follows_without_asking_the_server(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("#many input[type=number]").fill("8")
    page.wait_for_function("location.search.includes('many=8')")
    assert [url for url in asked if "gradio_api" in url] == []


def test_what_a_link_asks_of_a_part_that_opens_late_comes_back_into_the_address(gallery: str, page: Page) -> None:
    visit(page, gallery, "start", late=7)
    page.evaluate("window.lab.follow()")
    assert "late=" not in page.url
    assert page.evaluate("window.lab.view('late').value") == "7"
    assert "late=7" in page.url


def test_a_link_carries_a_value_to_another_page_and_back_leads_home(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    page.locator("#text textarea").fill("carried")
    page.locator("#link").click()
    expect(page.locator("#seen textarea")).to_have_value("carried")
    assert "page=attention" in page.url and "text=carried" in page.url
    page.go_back()
    expect(page.locator("#text textarea")).to_be_visible()
    expect(page.locator("#text textarea")).to_have_value("carried")
    assert "page=tokenize" in page.url


def test_whoever_comes_by_a_door_goes_on_by_keyboard_from_the_beginning(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    page.locator("#link").press("Enter")
    opened = page.locator("#pages .tabitem", has=page.locator("h1:visible"))
    expect(opened).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#pages') !== null")
    by_bar = page.get_by_role("link", name="Tokenize")
    by_bar.press("Enter")
    page.wait_for_selector("html:not(.settling) #text")
    expect(by_bar).to_be_focused()
    page.evaluate("() => { document.activeElement.blur(); document.querySelector('#link').click(); }")
    expect(page.locator("#seen textarea")).to_be_visible()
    expect(opened).to_be_focused()  # also where what was pressed is drawn anew meanwhile


def test_back_takes_away_what_the_older_address_did_not_hold(gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize")
    text = page.locator("#text textarea")
    first = text.input_value()
    for name in ("attention", "tokenize"):
        page.locator(f"a[data-page={name}]").first.click()
        expect(page).to_have_url(re.compile(f"page={name}"))
    text.fill("later")
    expect(page).to_have_url(re.compile("text=later"))
    page.go_back()
    expect(page).to_have_url(re.compile("page=attention"))
    page.go_back()
    expect(page).to_have_url(re.compile("page=tokenize"))
    expect(text).to_have_value(first)
    assert "text=later" not in page.url
    page.go_forward()
    expect(page).to_have_url(re.compile("page=attention"))
    page.go_forward()
    expect(text).to_have_value("later")


def test_dark_that_the_address_asks_for_stays_in_it_until_another_is_chosen(gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize", __theme="dark")
    text, body = page.locator("#text textarea"), page.locator("body")
    text.fill("one")
    expect(page).to_have_url(re.compile("__theme=dark.*text=one"))
    page.reload()
    expect(body).to_have_css("background-color", "rgb(19, 21, 28)")
    page.get_by_role("button", name="Dark").click()
    text.fill("two")
    expect(page).to_have_url(re.compile("text=two"))
    assert "__theme" not in page.url
    expect(body).not_to_have_css("background-color", "rgb(19, 21, 28)")


def test_the_language_switch_and_dark_are_remembered(gallery: str, page: Page) -> None:
    visit(page, gallery, "generate")
    dark = page.locator("body")
    page.get_by_role("button", name="Dark").click()
    expect(dark).to_have_css("background-color", "rgb(19, 21, 28)")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#pages h1:visible")).to_have_text("完形实验室")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    visit(page, gallery, "tokenize")
    expect(page.locator("#pages h1:visible")).to_have_text("完形实验室")
    expect(dark).to_have_css("background-color", "rgb(19, 21, 28)")
    page.locator("#text textarea").fill("wrong")
    expect(page.locator(".lab-toasts .toast")).to_contain_text("文字不对")


@pytest.mark.parametrize("asked", ["zh", "zh-CN", "zh-TW"])
def test_the_address_chooses_the_language(asked: str, gallery: str, page: Page) -> None:
    visit(page, gallery, "start", lang=asked)
    expect(page.locator("#pages h1:visible")).to_have_text("完形实验室")


def test_a_chinese_browser_is_spoken_to_in_chinese(gallery: str, browser: Browser) -> None:
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    visit(page, gallery, "start")
    expect(page.locator("#pages h1:visible")).to_have_text("完形实验室")
    context.close()


def test_a_mistake_is_a_note_and_a_fault_of_ours_gives_nothing_away(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    notes = page.locator(".lab-toasts .toast")
    page.locator("#text textarea").fill("wrong")
    expect(notes.last).to_contain_text("The text <b>wrong</b> is wrong")
    page.locator("#text textarea").fill("broken")
    expect(notes.last).to_contain_text("The log calls it")
    assert "secret" not in page.content()


def test_a_queued_stream_keeps_its_last_picture_when_it_breaks(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "generate")
    page.locator("#stream").click()
    expect(page.locator(".lab-toasts .toast")).to_contain_text("The stream is over")
    expect(page.locator("#bars .number")).to_have_text("100 %")


def test_no_page_scrolls_sideways_on_a_phone(gallery: str, stay: Stay) -> None:
    page = stay(gallery, MODULES[0].NAME)
    page.set_viewport_size({"width": 390, "height": 800})
    for module in MODULES:
        page.evaluate("(name) => window.lab.goto(name)", module.NAME)
        page.wait_for_selector(f"html:not(.settling) a[data-page={module.NAME}][aria-current=page]", state="attached")
        page.wait_for_timeout(400)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, module.NAME


def test_the_first_page_is_light(gallery: str, page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    loaded: list[float] = []
    session.on("Network.loadingFinished", lambda event: loaded.append(event["encodedDataLength"]))
    visit(page, gallery, "start")
    page.wait_for_load_state("networkidle")
    assert len(loaded) <= 100 and sum(loaded) <= 1_000_000, (len(loaded), sum(loaded))


def test_the_lab_itself_starts(server: str, page: Page) -> None:
    page.goto(server)
    page.wait_for_selector("#pages h1:visible")
    expect(page.locator("header.bar nav a").first).to_have_attribute("aria-current", "page")


def test_an_open_page_keeps_no_connection_so_that_many_tabs_of_a_browser_are_answered(server: str, page: Page) -> None:
    tabs = [page, *[page.context.new_page() for _ in range(6)]]  # a browser has six connections for a server
    for tab in tabs:
        visit(tab, server, "glossary")
    calm(tabs[-1])
    assert tabs[0].evaluate("fetch('/config').then((answer) => answer.ok)")


def test_the_configuration_is_no_secret_and_tells_no_path(gallery: str, page: Page) -> None:
    answer = page.request.get(gallery + "/config")
    assert "/lab/ui" not in json.dumps(answer.json())
