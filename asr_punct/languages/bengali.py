"""Bengali."""

from asr_punct.languages.record import Language, words

LANGUAGE = Language("bn", "Bengali", scripts=words("BENGALI"), period="।")
