"""Written Spanish, Basque and English <-> lower-case words with marks and case; the reading side of `marks`.

`parse` reads a line of text, `canonical` gives the label sets that a line can hold, `split_token` and `read_marks`
look at one token of input that carries marks already. The rules:

  * a word is a run of letters, digits and pronounced symbols (`50%`, `km/h`, `buru-belarri`, `o'clock`, `10:30`,
    addresses of the web); nothing inside it changes but its case, its Unicode form (NFC) and brackets (`niño(s)`);
  * « “ „ ‘‘ `` open a quotation, » ” ’’ close one; straight and single ones by the side on which they stand, or in
    turn; an apostrophe inside a word belongs to it, in English also at its end (`workers'`);
  * a dash alone belongs to the word before, at the start of the text to the word after; between words it splits
    them; at a word's left edge it is OPEN_DASH (`-5` is a number), at its right edge DASH;
  * `, ; : ? ! …` and quotation marks split words that they glue together, a period only before a capital;
  * the period of an abbreviation stays in the word (`periods`);
  * repeated marks collapse; brackets and other symbols are left out; all of it is counted.
"""

from asr_punct.text.characters import clean
from asr_punct.text.label_sets import canonical
from asr_punct.text.reader import Parsed, parse
from asr_punct.text.tokens import read_marks, split_token

__all__ = ["Parsed", "canonical", "clean", "parse", "read_marks", "split_token"]
