from annotate.text.rules import split_by_rules
from tests.cases import each


def sentences(text: str) -> list[str]:
    starts = split_by_rules(text)
    return [text[a:b].strip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@each(
    "divided",
    [
        "It rains.| It snows.",
        "It rains!| It snows?| Yes.",
        "It rose by 3.5 percent.| Then it fell to 2.| Nobody knew why.",
        "U.S. Steel was founded in 1901.| It is in Pittsburgh.",
        "He grew up in the U.S.| The family moved in 1950.",
        "It opened in Washington, D.C.| It closed a year later.",
        "The film by J. K. Rowling's friend George R. R. Martin sold well.| Fans came.",
        "Dr. Smith met Mrs. Jones, Prof. Lee and St. John at 5 p.m. on Friday.| They spoke.",
        "They met at 5 p.m.| They spoke.",
        "See No. 5 and Fig. 2, pp. 3 and vol. IV of the work.| It is long.",
        "Is it so? No.| It is not.".replace("? No", "?| No"),
        "Many birds, e.g. Robins, sing.| Others, i.e. hawks, do not.",
        "He sold cars, boats, etc. to all.| He bought houses, land, etc.| Manuscripts came later.",
        'He said "it rains."| She said “it snows.”| They left.',
        '"Does it rain?" he asked.| "It does," she said.',
        "It rains (see Jones et al. 2010).| It snows.",
        "(It rains.)| It snows.",
        "It rains ... and snows.| Then, well...| Nothing.",
        "It rains… and snows.| It stops.",
        "The iPad sold well.| iPhone sales fell.",
        "The rain fell.| the snow followed.",
        "See https://example.org/a.b?c=1. It helps.".replace("1. It", "1.| It"),
        "1. First comes rain.| 2. Then comes snow.",
        "There are two: 1. Rain falls.| 2. Snow falls.",
        "It cost a lot.| $80 is too much.",
        "In 1999.| 20 years later it ended.",
        "Apple Inc. sells phones.| Acme Corp.| It sells anvils.",
        "Jan. 5 was cold.| Feb. was colder.",
        "**It rains.**| **It snows.**",
        "Anna (b. March 1990) sings.| Ben (b. 1991) dances.",
        "He fell ill.| Doctors came by the app.| A nurse said no.| I agreed.",
        "It is 5 km.| Residents walk.| He met his ex.| She left on Sat. 5 May.",
        "Mr. T. He did it.".replace("T. He", "T.| He"),
        "World War I.| The war to end all wars.",
    ],
)
def test_where_sentences_end(divided):
    text = divided.replace("|", "")
    assert sentences(text) == [sentence.strip() for sentence in divided.split("|")]


def test_short_texts_are_one_sentence():
    assert split_by_rules("") == []
    assert split_by_rules("  It rains. ") == [0]
    assert split_by_rules("...") == [0]
