"""The picture of what an encoder knows at a step."""


def test_the_pair_that_enters_the_queue_is_counted_as_it_is_shown(make_steps_page):
    page = make_steps_page(text="café 😍".encode(), encoder="heap")
    page.model.restart()
    told = []
    for position in range(page.model.n_steps):
        page.model.go_to(position)
        told.append((page.model.debugger.trace.operation(position), page.trace.picture.title))
    assert [title for operation, title in told if operation == "push"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in told if operation == "merge"] == ["queue: 1 could merge"] * 2
    assert [title for operation, title in told if operation == "done"] == ["queue: 0 could merge"] * 2
