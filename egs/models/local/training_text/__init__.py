"""Make training text: clean written texts, mix them, write numbers in words, and learn a casing list."""
