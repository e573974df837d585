"""What other libraries say, on one line."""

import pytest

from asr_punct.errors import counted_as, first_line


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError("no such model\nand more"), "no such model"),
        (ValueError("\n  no such model\n"), "no such model"),
        (KeyError(), "KeyError"),
        (RuntimeError(" \n"), "RuntimeError"),
    ],
)
def test_the_first_line_of_an_error_is_told_or_its_kind(error, told):
    assert first_line(error) == told


def test_one_thing_is_told_in_the_singular():
    assert [counted_as(number, "word") for number in (0, 1, 2)] == ["0 words", "1 word", "2 words"]
