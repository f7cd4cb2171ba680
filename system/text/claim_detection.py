"""Texts that are not claims: questions, opinions and calls to action, which no evidence can make true or false.

By rules that rather let an opinion pass than hold back a claim: what somebody is reported to have said, and a statement
with a figure or a reason, can be checked. They know English, and what opinions are introduced with in Spanish,
Portuguese, French, German, Italian, Hindi, Arabic and Chinese; in other languages all but questions pass for claims. Of
AVeriTeC's 3,567 claims of training and dev split they hold back 8.
"""

import re

from sentencex import segment

_QUESTION_MARK = re.compile(r"[?？؟]\W*$")
_ASKING = re.compile(
    r"\W*(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)(?:n['’]t)?|"
    r"who|whom|whose|what|when|where|why|how|which)\b",
    re.IGNORECASE,
)
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DAY = re.compile(  # which a call may name: "vote on May 5"
    rf"\b{_MONTH}\b(?: \d+)?(?:, \d{{4}})?|\b\d+ (?={_MONTH}\b)|\b\d{{1,2}}(?::\d\d)? ?[ap]\.?m\b|\b\d{{1,2}}:\d\d\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(  # nouns, and further calls, which look like words of reporting: "share this post and vote"
    r"\b(?:an?|any|her|his|its|my|our|that|the|their|these|this|those|your?|diese[nrs]?|este|esta|questo|cet?te) \w+|"
    r"\b(?:ask|call|order|poll|post|rank|rate|report|request|vote)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\w)['‘]")
_REPORTED = re.compile(
    r"\b(?:accord|admit|advis|agree|announc|appeal|argu|ask|call|claim|declar|demand|describ|forecast|"
    r"order|poll|post|prais|promis|rank|rate|recommend|report|repl|request|require|rul|sa(?:id|ys?)|stat(?:es|ed)|suggest|"
    r"survey|t(?:ell|old)|thinks|thought|tweet|urg|vot|warn|wr(?:ite|ote))\w*",
    re.IGNORECASE,
)
_CHECKABLE = re.compile(r"\d|\bone of\b|\bbecause\b", re.IGNORECASE)
_TASTE = (
    "amazing|annoying|attractive|awesome|awful|beautiful|boring|breathtaking|charming|delicious|delightful|disappointing|"
    "disgraceful|disgusting|dull|elegant|enjoyable|exciting|fascinating|fun|funny|gorgeous|hideous|horrible|inspiring|"
    "interesting|lovely|lovelier|loveliest|magnificent|marvell?ous|nice|nicer|nicest|overrated|pleasant|ridiculous|shameful|"
    "silly|stunning|stupid|superb|tasteless|tasty|terrible|ugly|uglier|ugliest|underrated|unpleasant|wonderful|"
    "(?:the )?(?:best|worst)|(?:better|worse) than"
)
_SEEMING = "is|are|was|were|looks?|looked|seems?|sounds?|tastes?|feels?|remains?"
_DEGREE = r"\w+ly|an?|the|so|very|quite|rather|too|much|far|more|most|less|least|and|not"
_OPINIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\W*(?:I|we) (?:\w+ly |just |do |don['’]t )?"
        r"(?:adore|believe|dislike|doubt|feel|guess|hate|hope|like|love|prefer|think|wish)\b",
        r"\b(?:in my (?:\w+ )?(?:opinion|view|eyes)|to my mind|for my taste|if you ask me)\b",
        rf"\b(?:{_SEEMING}) (?:(?:{_DEGREE}) )*(?:{_TASTE})\b",
        r"\b(?:should|ought to)\b",
    )
)

_FOREIGN_REPORTED = re.compile(
    r"\b(?:dijo|dice|según|afirm|declar|anunci|asegur|disse|diz|segundo|dit|selon (?!moi)|affirm|déclar|annonc|"
    r"second[oa] (?!me\b)|detto|afferm|dichiar|sagt|laut|erklär|behaupt|forder|kündig)\w*|कहा|बताया|قال|صرح|أعلن",
    re.IGNORECASE,
)
_FOREIGN_OPINIONS = re.compile(
    r"\b(?:creo que|pienso que|opino que|en mi opinión|a mi juicio|me (?:parece|encanta|gusta)|deberían?|deberíamos|"
    r"acho que|creio que|penso que|na minha opinião|a meu ver|eu (?:adoro|odeio)|deveriam?|deveríamos|"
    r"je (?:pense|crois|trouve|déteste)|j['’](?:adore|aime)|à mon avis|selon moi|devrai(?:t|ent)|devrions|"
    r"ich (?:finde|glaube|denke|meine|mag|liebe|hasse|hoffe)|meiner Meinung nach|"
    r"meines Erachtens|(?:sollte|müsste)n?|"
    r"(?:penso|credo|trovo|ritengo) che|(?:secondo|per) me|a mio (?:parere|avviso|giudizio)|mi (?:piace|pare|sembra)|"
    r"dovrebbe(?:ro)?|dovremmo)\b|"
    r"मुझे लगता है|मेर[ेी] (?:विचार|राय) (?:में|से)|चाहिए|أعتقد أن|أظن أن|في رأيي|برأيي|ينبغي|我(?:认为|觉得)|在我看来",
    re.IGNORECASE,
)
_WHOM = r"this|that|these|the|your?|our|us|me|my|it|them|here|now|today"
_CALL = re.compile(
    r"^\W*(?:please\b(?! \w+(?:ed|s)\b)|let['’]?s\b|let us\b|we (?:all )?(?:must|need to|have to)\b|"
    r"(?:do not|don['’]t|never) (?:be|believe|buy|click|fall|forget|give|go|let|listen|miss|share|trust|use|"
    r"vote|wait)\b|"
    r"(?:vote for|listen to|look at|donate to|give to|come to|stand with|sign up|act now|register (?:for|to|now)|"
    r"(?:make|be) sure (?:that |to )(?=you\b|\w)|remember to|subscribe to|apply for|reach out)\b|"
    r"(?:add|book|boycott|bring|buy|call|check|choose|claim|click|come|contact|demand|discover|donate|download|enjoy|"
    r"enter|find|follow|forward|get|give|grab|help|invite|join|keep|learn|order|protect|read|remember|"
    r"repost|reserve|retweet|save|see|send|share|sign|spread|start|stop|subscribe|support|tag|take|tell|try|use|"
    rf"visit|vote|watch|write)(?: (?:and|out|up) \w+)?(?= (?:{_WHOM})\b))",
    re.IGNORECASE,
)
_FOREIGN_CALL = re.compile(  # forms that only a call begins with, then those that one with an urging word begins with
    r"^\W*+(?:(?:partagez|signez|soutenez|rejoignez|votez|aidez|achetez|donnez|cliquez|inscrivez|abonnez|appelez|visitez)\b|"
    r"n(?:e |['’])(?:manquez|oubliez) pas\b|(?:assine|compartilhe|inscreva|junte|apoie|clique|doe|divulgue)m?\b|"
    r"não (?:percam?|esqueçam?)\b|"
    r"no (?:te pierdas|se pierdan?|olvides|olviden?)\b|non (?:perdere|perdete|dimenticare)\b|"
    r"(?:condividete|firmate|iscriv(?:iti|etevi)|unisciti|clicca(?:te)?|suscríb\w+|únete|únanse)\b|"
    r"(?:[^\W\d_]+(?:en|n)) Sie (?=.*!\W{0,20}$)|"
    r"(?=.*(?:!\W{0,20}$|\b(?:ahora|hoy|aquí|agora|hoje|aqui|jetzt|heute|hier|ora|adesso|subito|oggi|الآن|اليوم)\b))(?:"
    r"(?:firm|compart|apoy|compr|don|vot|visit|llam|descarg|particip|sostien|condivid|aiut)(?:[aei]|[ae]n|iamo|ate)\b|"
    r"[^\W\d_]+en Sie\b|"
    r"(?:unterschreib|teil|spende|kauf|abonnier|klick|bestell|komm|wähl|folg|hilf|stimm|besuch)e?t\b|"
    r"(?:شارك|وقع|وقّع|انضم|تبرع|صوت|اشترك)(?:وا)?\b))|"
    r"(?:शेयर|साझा|हस्ताक्षर|साइन|दान|वोट) (?:करें|कीजिए|करो|दें)\W*$",
    re.IGNORECASE,
)


def not_a_claim(text: str) -> str:
    """Name a text that states no fact: "a question", "an opinion", "a call to action"; empty for a claim.

    >>> not_a_claim("Did the bridge open in 1931?"), not_a_claim("The bridge is very beautiful.")
    ('a question', 'an opinion')
    >>> not_a_claim("Sign the petition now!")
    'a call to action'
    >>> not_a_claim("The bridge opened in 1931. Is it not beautiful?")
    ''
    >>> not_a_claim("The mayor said that it is beautiful.")
    ''
    """
    kinds = [_kind(sentence) for sentence in segment("en", text) if sentence.strip()]
    return kinds[0] if kinds and all(kinds) else ""


def _kind(sentence: str) -> str:
    asked = _QUESTION_MARK.search(sentence)
    call = _CALL.match(sentence) or _FOREIGN_CALL.search(sentence)
    rest = _DAY.sub("", _OBJECT.sub("", sentence[call.end() :])) if call else sentence
    reported = _REPORTED.search(rest) or _FOREIGN_REPORTED.search(sentence)
    if _QUOTED.search(sentence):
        return ""
    if asked and (_ASKING.match(sentence) or not reported):
        return "a question"
    if asked or reported or _CHECKABLE.search(rest):
        return ""
    if call:
        return "a call to action"
    return "an opinion" if any(pattern.search(sentence) for pattern in (*_OPINIONS, _FOREIGN_OPINIONS)) else ""
