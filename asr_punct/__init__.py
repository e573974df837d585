"""Punctuation and capitals for speech recognition output."""
