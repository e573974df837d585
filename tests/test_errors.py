"""What other libraries say, on one line."""

import pytest

from asr_punct.errors import first_line


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
