"""Word documents (.docx) by python-docx, extra `docx`: a paragraph for each utterance, with named styles.

The styles `Speaker`, `Time` and `Transcript` are the document's own, so that an office program changes all at once.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from asr_punct.encoding import visible
from asr_punct.errors import MissingExtraError
from asr_punct.formats.documents.headings import heading_of
from asr_punct.formats.values import escape_xml
from asr_punct.glyphs import Glyphs
from asr_punct.languages import facts_of
from asr_punct.words import Utterance, text_of_utterance

_SPEAKER, _TIME, _TRANSCRIPT = "Speaker", "Time", "Transcript"


def docx_content(utterances: Iterable[Utterance], glyphs: Glyphs) -> bytes:
    """Return a document with a paragraph for each utterance; a new page where the document changes.

    Raises MissingExtraError without python-docx, InputError for a character that XML cannot contain.
    """
    try:
        import docx
    except ModuleNotFoundError:
        raise MissingExtraError("the format docx", "docx", "docx") from None
    document: Any = docx.Document()
    _add_styles(document)
    previous: Utterance | None = None
    has_words = False
    for utterance in utterances:
        if not utterance.words:
            continue
        if not has_words:
            _describe(document, utterance, glyphs)
            has_words = True
        if previous is not None and previous.context != utterance.context:
            document.add_page_break()
            previous = None
        _add_paragraph(document, utterance, previous, glyphs)
        previous = utterance
    content = BytesIO()
    document.save(content)
    return content.getvalue()


def _describe(document: Any, first: Utterance, glyphs: Glyphs) -> None:
    """Give the document the name of its recording, the time, and the language, by which office programs check it."""
    from docx.oxml.ns import qn

    about = document.core_properties
    about.author, about.comments, about.title = "", "", visible(first.recording_name)
    about.created = about.modified = datetime.now(UTC)
    language = first.language or glyphs.name
    for element in document.styles.element.xpath(".//w:docDefaults//w:lang"):
        element.set(qn("w:val"), facts_of(language).locale or language)


def _add_styles(document: Any) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt, RGBColor

    speaker = document.styles.add_style(_SPEAKER, WD_STYLE_TYPE.CHARACTER)
    speaker.font.bold = True
    time = document.styles.add_style(_TIME, WD_STYLE_TYPE.CHARACTER)
    time.font.size, time.font.color.rgb = Pt(9), RGBColor(0x60, 0x60, 0x60)
    transcript = document.styles.add_style(_TRANSCRIPT, WD_STYLE_TYPE.PARAGRAPH)
    transcript.base_style = document.styles["Normal"]
    transcript.paragraph_format.space_after = Pt(8)


def _add_paragraph(document: Any, utterance: Utterance, previous: Utterance | None, glyphs: Glyphs) -> None:
    heading = heading_of(utterance, previous)
    paragraph = document.add_paragraph(style=_TRANSCRIPT)
    shown = [(text, style) for text, style in ((heading.speaker, _SPEAKER), (heading.start, _TIME)) if text]
    for number, (text, style) in enumerate(shown):
        if number:
            paragraph.add_run("  ")
        paragraph.add_run(_checked(text), style=style)
    if shown:
        paragraph.add_run().add_break()
    paragraph.add_run(_checked(text_of_utterance(utterance, glyphs)))


def _checked(text: str) -> str:
    """Return the text, U+FFFD for undecodable bytes. Raises InputError for a character that XML cannot contain."""
    text = visible(text)
    escape_xml(text)
    return text
