"""Formats that are written for people and programs that read text: whole paragraphs and sentences, not words."""
