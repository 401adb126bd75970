"""All that the Steps page tells and offers of an encoding, a race, a training, and of lessons."""

from controls_in_words import controls_of

KEYS = {
    "⇤": ("To the start, before the first step", "Ctrl+Shift+F5"),
    "◀ run": ("Step back until the last breakpoint, or to the start", "Shift+F5"),
    "◁ back": ("One step back", "Shift+F10"),
    "step on ▷": ("One step on", "F10"),
    "piece ▷▷": ("Step on until the next piece: a stretch of text encoded by itself", "Ctrl+F11"),
    "run ▶": ("Step on until the next breakpoint, or to the end", "F5"),
    "⇥": ("To the end, behind the last step", "Ctrl+Shift+F10"),
    "play": ("Play: steps on by itself, or pause", "Ctrl+F5"),
}
BUTTONS = {sign: f"{sign} | {told} | {told} ({keys})" for sign, (told, keys) in KEYS.items()}


def test_all_that_is_told_of_an_encoding_and_of_a_race(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb")
    page.model.go_to(2)
    choices, beside = controls_of(page.trace.boxes), "Let another encoder run beside, step by step"
    assert [each for each in choices if each.startswith("Race")] == [
        f"Race against another encoder | {beside}, and see where the two part"
    ]
    code = "Pseudo-code | Click on a line for a breakpoint at what it does."
    assert [line for line in controls_of(page.trace) if line not in choices] == [
        *("BREAKPOINTS | Breakpoints", "+ add | Add a breakpoint", "step         number of the step, from 0"),
        *("WATCH | Watch", "step         number of the step, from 0"),
        *("MADE SO FAR | Made so far", "rank", "Made so far", *BUTTONS.values(), "Steps a second"),
        "Timeline | All steps from the first to the last: click or drag to go to one.",
        *("PIECE 1 OF 2 · BYTES 0–5 · “abacb”", "step 2 of 17", "Tokens at this step", "What happens"),
        *("QUEUE: 1 COULD MERGE", "What the encoder knows", "WHAT IT IS DOING", code),
    ]
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.is_ready)
    assert controls_of(page.trace.race_card) == [
        *("RACE · GREEDY · STEP 2 OF 10", "Tokens of the other encoder", "Where the two part"),
        *("go there  F8 | Go where a race parts", "What comes of the race"),
    ]


def test_all_that_is_told_of_a_training(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb")
    page.begin_training("bpe:260:2")
    qtbot.waitUntil(lambda: page.is_ready)
    symbols = (
        "What words are made of | Models use bytes; textbooks use characters, and a mark at each word's end."
    )
    buttons = [button for sign, button in BUTTONS.items() if sign != "piece ▷▷"]
    assert controls_of(page.training) == [
        *("BREAKPOINTS | Breakpoints", "+ add | Add a breakpoint", "step         number of the step, from 1"),
        *("What to train", symbols, "What to train on", "tokens in all", "260 | Size of the vocabulary"),
        *("Train", *buttons, "Steps a second", "step 2 of 3", "Timeline"),
        *("THE TEXT · 2 DIFFERENT WORDS", "The words as they are cut", "What happens"),
        *("PAIRS · HOW OFTEN THEY OCCUR", "The pairs that compete"),
        *("VOCABULARY · 259 TOKENS, NEWEST FIRST", "The vocabulary"),
        "Open beside | Compare it with the open model, on the open text",
        *("Save steps…", "Save as GGUF…", "Save and open as model…"),
    ]


def test_each_lesson_has_a_card_and_its_bar_the_button_to_press_next(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(2)
    told = controls_of(page.lessons)
    assert told[1:3] == ["Write a lesson…", "Open lesson file…"]
    for number, lesson in enumerate(page.player.lessons):
        steps = f"Begin · {len(lesson.steps)} steps"
        assert told[3 + 5 * number :][:5] == [
            *(f"{number + 1}.  {lesson.title}", lesson.summary),
            f"Save a copy… | Save a copy of {lesson.title}",
            *(f"Present | Present {lesson.title}", f"{steps} | {lesson.title}: {steps}"),
        ]
    page.player.begin("5-why-greedy-is-not-exact", 0)
    qtbot.waitUntil(lambda: page.is_ready)
    own = "A lesson has a text and a model of its own; what you have open stays as it is."
    title = f"LESSON · WHY GREEDY IS NOT EXACT · 1 OF 4 · WITH demo:toy · greedy | {own}"
    whole = "This lesson on the whole screen"
    back, reveal = "Back | Ctrl+PgUp | Ctrl+PgUp | off", "Reveal | Ctrl+Return | Ctrl+Return"
    rest = ["Go on | Ctrl+PgDown | Ctrl+PgDown", "Leave"]
    seen = []
    for _ in range(2):
        bar = page.lesson_bar
        assert [line for line in controls_of(bar) if line != reveal][:-2] == [
            *(title, f"Present | {whole} | {whole}", back, *rest)
        ]
        buttons = [button for button in bar.buttons.values() if button.isVisible()]
        seen.append([button.text() for button in buttons if button.property("role") == "next"])
        page.player.reveal()
    assert seen == [["Reveal"], ["Go on"]]
