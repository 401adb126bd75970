"""All that the Tree page tells and offers of a token, of what was found, and of figures."""

from controls_in_words import controls_of, painted_of

from guiapp.pages.tree.panels import ABOUT_MERGES, ABOUT_PLACE, ABOUT_PREFIXES, ABOUT_TOKEN, FACT_TIPS

FACTS = {
    "id": "1498",
    "bytes": "63 6F 6D 65",
    "type": "normal",
    "merge rank": "1,242",
    "depth": "2",
    "children": "0",
    "below it": "0 tokens",
    "in this text": "once",
}
SHAPES = {
    "Sunburst": "Rings around the whole: longer tokens lie farther out | checked",
    "Icicle": "Rows below the whole: longer tokens lie farther down",
}
WALKS = {"‹ Back": "One byte back", "Play": "Play or pause the walk", "On ›": "One byte on"}


def test_all_that_is_told_of_a_token_and_can_be_done_with_the_tree(page, qtbot):
    page._session.select_token(3)
    qtbot.waitUntil(lambda: {"come | Token text", "once | in this text"} <= {*controls_of(page.node_panel)})
    whole = "Show the whole tree"
    assert controls_of(page.bar) == [
        *("Back | Back (Alt+Left) | off", "Forward | Forward (Alt+Right) | off"),
        *(f"Whole tree | {whole} | {whole} (Home)", *map(" | ".join, SHAPES.items())),
        *("Colour by: Script | What the colours tell", "Path in the tree"),
        *("Search tokens | the: tokens that hold this text", "Export"),
    ]
    facts = [(f"{name} | {FACT_TIPS[name]}", f"{value} | {name}") for name, value in FACTS.items()]
    assert controls_of(page.node_panel) == [
        *(ABOUT_TOKEN, "come | Token text", *(line for lines in facts for line in lines)),
        *("PLACE IN THE TOKEN TREE | Place in the token tree", ABOUT_PLACE),
        "Latin › c › come › nothing longer | Path in the tree",
        *("HOW MERGING BUILDS IT | How merging builds it", ABOUT_MERGES, "How the token is built"),
        *("PREFIXES OF THE TEXT | Prefixes of the text", ABOUT_PREFIXES, "Last token of each prefix"),
    ]
    walk = controls_of(page.walk_bar)
    assert walk[:4] == [
        *("GREEDY WALK | Greedy walk", *(f"{name} | {tip} | {tip}" for name, tip in WALKS.items()))
    ]
    assert walk[-1] == "Play it from the selected token on, or go one byte at a time. | Greedy walk"
    path = painted_of(page.bar, page.theme_source)["Path in the tree"]
    assert [word.split()[-1] for word in path] == [*["faint", "text"] * 2, "faint", "accent"]


def test_all_that_is_told_of_what_was_found_and_of_figures(page, qtbot):
    page.tabs.choose(1)
    about = "What the search or a figure found, the nearest first. A row shows its token in the tree."
    how = "Type in the search field: text, #9906 for an id, 0x20 E6 for bytes, /^the?$/ for a pattern."
    assert controls_of(page.side) == ["FOUND | Found", about, how]
    page.bar.query.setText("th")
    qtbot.waitUntil(lambda: len(page.search.result_nodes) > 3)
    n_found = len(page.search.result_nodes)
    assert controls_of(page.side) == [
        *(f"FOUND · {n_found} | Found", "Clear | Show all tokens alike again (Escape)"),
        *("Save… | Save all rows as lines with tabs", about, "Found tokens"),
    ]
    line = f"{n_found} tokens found: bright in the picture and listed under Found. Enter goes to the first."
    assert controls_of(page.head) == ["TOKEN TREE | Token tree", f"{line} | {line}"]
    assert painted_of(page.head, page.theme_source) == {line: [f"{line} text"]}
    page.tabs.choose(2)
    qtbot.waitUntil(lambda: page.findings.unreached is not None)
    about, *rows = controls_of(page.side)
    assert about == "Counts over all tokens of the model. A click lists the tokens behind one."
    assert rows[:5] == [
        *("tokens: 2,560 | off", "leaves: 1,712 | begin no longer token"),
        *("longest chain: 11 | tokens from the root", "largest fan-out: 105 | children of one token"),
        "longest token: 32 | bytes",
    ]
    titles = [each.title for each in page.findings.statistics.distributions]
    assert [row for row in rows if row.partition(" | ")[2] in titles] == [
        f"{title.upper()} | {title}" for title in titles
    ]
    assert sum("Log scale" in row for row in rows) == len(titles)
