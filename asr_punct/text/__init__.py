"""Read written Spanish, Basque and English as lower-case words with marks and case; `marks` writes them.

`parse` reads a line of text. `split_token`, `split_sound` and `read_marks` read one token. `canonical` returns the
label sets that a line of text can express. Rules:

  * A word is a run of letters, digits and pronounced symbols (`50%`, `km/h`, `buru-belarri`, `o'clock`, `10:30`, web
    addresses). Reading changes its case, its Unicode form (NFC) and its brackets (`niño(s)`), nothing else.
  * « “ „ ‘‘ `` open a quotation, » ” ’’ close it. Straight and single quotation marks open or close by the side of the
    word they are on, or in turn. An apostrophe inside a word belongs to it, in English also at its end (`workers'`).
  * A dash alone is DASH on the word before, or at the start of the text OPEN_DASH on the word after. Between words it
    splits them. At a word's left edge it is OPEN_DASH (`-5` is a number), at its right edge DASH.
  * `, ; : ? ! …` and quotation marks inside a token split it into words; a period only after a small letter and
    before a capitalised word (`fin.Luego`).
  * The period of an abbreviation stays in the word (`periods`).
  * Repeated marks collapse. Brackets and other symbols are dropped and counted.
"""

from asr_punct.characters import clean
from asr_punct.text.bare import without_marks
from asr_punct.text.edges import comparison_form, glued_marks, has_bracket, read_marks, split_token
from asr_punct.text.given import with_given_labels
from asr_punct.text.parsing import Parsed, canonical, parse
from asr_punct.text.sounds import split_sound

__all__ = ["Parsed", "canonical", "clean", "comparison_form", "glued_marks", "has_bracket", "parse"]
__all__ += ["read_marks", "split_sound", "split_token", "with_given_labels", "without_marks"]
