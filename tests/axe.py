"""What axe-core finds on a page as it stands: the rules of WCAG and of good practice, and the contrast of each look.

axe-core comes with axe-playwright-python, so nothing is fetched. Its rule on contrast asks the browser what lies below
each text, which takes as long as all the rest ten times over: it is asked of one text of each look.
"""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

LOOKS = """() => {
  const seen = new Set(), CLEAR = "rgba(0, 0, 0, 0)";
  document.querySelectorAll("[data-look]").forEach((node) => node.removeAttribute("data-look"));
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
    if (!own || node.namespaceURI !== "http://www.w3.org/1999/xhtml" || !node.checkVisibility({ checkVisibilityCSS: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(node), look = [color, fontSize, fontWeight, node.matches(":disabled")];
    for (let up = node, style; up; up = up.parentElement) {
      style = getComputedStyle(up);
      if (style.opacity !== "1" || style.backgroundColor !== CLEAR || style.backgroundImage !== "none") look.push(style.opacity, style.backgroundColor, style.backgroundImage);
    }
    if (seen.has(look.join())) continue;
    seen.add(look.join());
    node.setAttribute("data-look", "");
  }
}"""  # noqa: E501
# The tabs that are not open, which axe would read through all the same: their contents are taken out meanwhile.
ASIDE = """() => { window.aside = [...document.querySelectorAll("#pages [role=tabpanel]")].filter((tab) => !tab.checkVisibility())
  .map((tab) => [tab, [...tab.childNodes]]); window.aside.forEach(([tab]) => tab.replaceChildren()); }"""  # noqa: E501
BACK = "() => window.aside.forEach(([tab, nodes]) => tab.replaceChildren(...nodes))"
CONTRAST = "axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-look]' }] })"
QUICK = {"resultTypes": ["violations"], "preload": False, "iframes": False}


def findings(page: Page) -> list[str]:
    """What is wrong, one line for each rule and element."""
    page.evaluate(LOOKS)
    page.evaluate(ASIDE)
    found = Axe(f"{Axe().axe_script}; {CONTRAST}").run(page, options=QUICK)
    page.evaluate(BACK)
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for rule in found.response["violations"]
        for node in rule["nodes"]
    ]
