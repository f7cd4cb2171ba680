"""Texts as files can hold them, and without their disguise.

The skeleton of Unicode's security mechanisms (https://www.unicode.org/reports/tr39/#Confusable_Detection), for Latin,
lets filters compare texts as readers see them: without compatibility forms, accents, invisible or look-alike letters.
"""

import re
import unicodedata

# What looks like a Latin letter, above that letter: of Cyrillic, Greek, Armenian, Cherokee, and Latin's own relatives.
_LIKE = (
    "аАЬсСԁеҽЕԌһНіІӏјЈКМоОрРԛѕЅТѵѴԝԜхХуүУҮВꙇѡвкмнтиг" "αΑΒΕϜΗιϳͿκΚΜΝοσΟρΡΤυνΧΥΖΙτγ" "օՕոսՍհցգզաքյ"
    "ᎪᏴᏟᎠᎬᏀᏂᎻᎥᎫᏦᏞᎷᏢᎡᏕᎢᏙᎳᎩᏃ" "ɑɡıɪᴀʙᴄᴅᴇꜰɢʜᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜʋᴠᴡʏᴢſøłđ"
)  # fmt: skip
_LATIN = (
    "aAbcCdeeEGhHiIljJKMoOpPqsSTvVwWxXyyYYBiwbkmhtur" "aABEFHijJkKMNooOpPTuvXYZIty" "oOnuShggqwfj"
    "ABCDEGhHiJKLMPRSTVWYZ" "agiiabcdefghjklmnoprstuvvwyzsold"
)  # fmt: skip
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols without ink
_FOLDED = str.maketrans(_LIKE, _LATIN, _BLANK) | {
    first + at: chr(97 + at)  # the letters in boxes that have no compatibility form
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for at in range(26)
}
_UNSEEN = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff"  # accents
    "\u00ad\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SPACED = re.compile(r"(?<!\w)[^\W\d_](?:[ .\-_*·•|/]{1,2}[^\W\d_]){3,}(?!\w)")  # four letters or more, each by itself
_FIGURE = re.compile(r"(?<=[^\W\d_])[013457@$]+(?=[^\W\d_])|(?<=[^\W\d_])[@$]+|[@$]+(?=[^\W\d_])")  # for letters
_LETTER = str.maketrans("013457@$", "oieastas")
_BETWEEN = re.compile(r"[\W_]+")


def encodable(text: str) -> str:
    """Text that UTF-8 can carry: surrogate pairs joined, lone surrogates become U+FFFD.

    >>> encodable("a\\ud83d\\ude00 b\\ud800")
    'a😀 b\ufffd'
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def skeleton(text: str) -> str:
    r"""The text as a reader sees it; case, words and lines stay as they are.

    >>> skeleton("S\u200bu\u0440\u0440\u043erted"), skeleton("S u p p o r t e d"), skeleton("Café")
    ('Supported', 'Supported', 'Cafe')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _UNSEEN.sub("", unicodedata.normalize("NFKD", text))).translate(_FOLDED)
    text = _FIGURE.sub(lambda figure: figure.group().translate(_LETTER), text)
    return _SPACED.sub(lambda spaced: _BETWEEN.sub("", spaced.group()), text)
