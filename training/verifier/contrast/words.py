"""Words and phrases that say the same, and words that say the opposite."""

_SAME = """
began=started; established=founded=set up; located in=situated in; purchased=bought; died=passed away; children=kids;
employs=has a staff of; approximately=about; received=got; obtained=got; attempted=tried; however=but; film=movie;
increased=rose=went up=grew; decreased=fell=declined=dropped=went down; physician=doctor; automobile=car; large=big;
wrote=authored; won=was victorious in; because=since; ended=came to an end; assisted=helped; quickly=fast;
commenced=began=started; concluded=ended; resides in=lives in; resided in=lived in; constructed=built; was built=was
put up; killed=caused the death of; prohibited=banned=forbidden; permitted=allowed; required to=obliged to; must=has
to; announced=made public; several=a number of; many=a large number of; nearly=almost; although=even though;
famous=well-known; defeated=beat; selected=chosen; was born in=comes from; is the capital of=is the seat of government
of; is home to=has; participated in=took part in; consists of=is made up of; contains=includes; also known as=also
called; prior to=before; in order to=to; worldwide=around the world; annually=every year=each year; monthly=every
month; daily=every day; was released=came out; resigned=stepped down=left office; was appointed=was named; free of
charge=at no cost=without payment; remained=stayed; provides=offers; the United States=the US=America; the United
Kingdom=Britain=the UK; United Nations=UN; was not=wasn't; is not=isn't; did not=didn't; does not=doesn't; were
not=weren't; cannot=can't; has not=hasn't; was married to=was the spouse of; starring=featuring; served as=was; was
elected=was voted in as; whole=entire; city=town; most of=the majority of; less than half=a minority; more than half=a
majority=most; illness=disease; situated=located; accident=mishap; murdered=killed; imprisoned=jailed; vote=ballot;
per year=a year; per day=a day; per month=a month; younger=less old; cheaper=less expensive; ill=sick;
injured=hurt=wounded; shut=closed; end=finish; ends=finishes
"""
_OPPOSITE = """
more=fewer=less; most=few; higher=lower; highest=lowest; larger=smaller; largest=smallest; bigger=smaller;
longer=shorter; longest=shortest; older=younger; oldest=youngest; earlier=later; earliest=latest; first=last;
before=after; above=below; increased=decreased=fell; rose=fell; rising=falling; rises=falls; grew=shrank;
grown=shrunk; gained=lost; won=lost; wins=loses; winning=losing; winner=loser; victory=defeat; increase=decrease=drop;
growth=decline; north=south; northern=southern; east=west; eastern=western; northeast=southwest; left=right;
upper=lower; inside=outside; indoors=outdoors; opened=closed; open=closed; opens=closes; opening=closing; began=ended;
begins=ends; started=ended=stopped; born=died; married=divorced; accepted=rejected; approved=rejected;
supported=opposed; supports=opposes; allowed=forbidden; allows=forbids; permits=bans; legal=illegal; banned=allowed;
prohibited=allowed; possible=impossible; likely=unlikely; able=unable; successful=unsuccessful;
successfully=unsuccessfully; succeeded=failed; failed=succeeded; positive=negative; male=female; man=woman; men=women;
boy=girl; father=mother; brother=sister; son=daughter; husband=wife; king=queen; actor=actress; he=she; his=her;
alive=dead; living=dead; popular=unpopular; common=rare; commonly=rarely; often=seldom; always=never; usually=rarely;
frequently=rarely; public=private; national=local; professional=amateur; ancient=modern; new=old; early=late;
young=old; rich=poor; strong=weak; strongest=weakest; fast=slow; fastest=slowest; heavy=light; deep=shallow;
wide=narrow; hot=cold; warm=cold; wet=dry; hard=soft; high=low; tall=short; long=short; big=small; large=small;
great=small; good=bad; better=worse; best=worst; easy=difficult; easier=harder; safe=dangerous; full=empty;
majority=minority; maximum=minimum; major=minor; all=none of=only some of; every=no; both=neither of; everyone=nobody;
everything=nothing; many=few; much=little; entirely=only partly; completely=only partly; arrived=left; arrives=leaves;
entered=left; joined=left; bought=sold; purchased=sold; built=demolished; created=destroyed; remembered=forgot;
found=lost; loved=hated; praised=criticised; guilty=innocent; convicted=acquitted; hired=fired; promoted=demoted;
expanded=shrank; extended=shortened; raised=lowered; reduced=increased; improved=worsened; with=without;
including=excluding; alongside=against; despite=because of; for=against; agreed=refused; accepts=refuses;
denied=confirmed; hit=missed; attack=defence; enemy=ally; friend=enemy; former=current; temporary=permanent;
single=married; same=different; similar=unlike; identical=different; independent=dependent; present=absent;
rural=urban; solo=joint; live=recorded; black=white; red=blue; green=yellow; summer=winter; spring=autumn;
morning=evening; day=night; daily=yearly; weekly=yearly
"""
_ONE_WAY = (
    """
never, a, has, since, to, but, was, got, includes, a majority, town, by, city, a year, a day, a month, about, around,
sick, since, end, ends
""".strip()
    .replace("\n", " ")
    .split(", ")
)
"""Stand for the others of their line, but not the other way round."""


def _table(text: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for line in text.replace("\n", " ").split(";"):
        words = [word.strip() for word in line.split("=")]
        for word in words:
            table.setdefault(word, []).extend(other for other in words if other != word)
    return table


def _opposites() -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for line in _OPPOSITE.replace("\n", " ").split(";"):
        first, *others = [word.strip() for word in line.split("=")]
        table.setdefault(first, []).extend(others)
        for other in others:
            if " " not in other:
                table.setdefault(other, []).append(first)
    return table


SAME = _table(_SAME)
for _word in _ONE_WAY:
    SAME.pop(_word, None)
OPPOSITE = _opposites()
