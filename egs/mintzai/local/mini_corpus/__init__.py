"""A small synthetic corpus of Spanish and Basque parliamentary speech, made from grammars and espeak-ng."""
