"""What the bridge says to people, in English and French, and what they type."""

import re
from collections.abc import Mapping

from gtp_variants.records import sentences

# What a greeting or farewell may name.
PLACES = ("me", "opponent", "game", "size", "komi", "result", "commitment")

TEXTS = {
    "en": {
        # Refusing a challenge.
        "blocked": "Sorry, I do not play with you.",
        "not allowed": "Sorry, I play only with a few people for now.",
        "enough": "We had {count} games today; come back tomorrow.",
        "size": "I play on size {sizes}, not on {size}.",
        "main": "I play with {least} to {most} minutes, not with {given}.",
        "period": "I play with {least} to {most} minutes of byo-yomi, not with {given}.",
        "handicap": "I play with {least} to {most} handicap stones.",
        "komi": "I play with a komi of {least} to {most}.",
        "rated": "I play only free games.",
        "colour": "I play only {colour}.",
        "busy": "I am playing; try again after this game.",
        "leaving": "I am about to leave; try again later.",
        # What an open challenge says, where no other text is given.
        "offer go": "I am a bot. Free games.",
        "offer aleago": "Aleago (dice go): read my chat, type !rules",
        "offer alter-igo": "Alter Igo: read my chat, type !rules",
        # Hosting.
        "aleago": sentences.say("aleago in short", "en"),
        "aleago passes": "Two passes do not end it while there is room on some line: the second who passes plays, or "
        "the dice are thrown anew. Say !stop if you want the next two passes to end it.",
        "alter-igo": "This is Alter Igo. This server knows only Go: when a capture would differ we must stop.",
        "commitment": "Dice fixed before the game: sha256 {commitment}. I reveal the secret at the end.",
        "help": "!rules the rules, !dice the draw again, !stop let the next two passes end it, !options what we can "
        "agree on, !help this; !aide en français.",
        "options": "Now: dice {dice}, crystal ball {ball}, without dice: {free}. Before the first move you can type "
        "!dice {choices} (or others, or table), !crystal on or off (the next draw is known, too), !handicap black, "
        "white or none (who plays without dice).",
        "agreed": "Agreed: dice {dice}, crystal ball {ball}, without dice: {free}.",
        "too late": "That can be agreed on before the first move only.",
        "on": "on",
        "off": "off",
        "nobody": "nobody",
        "go on": "The game goes on with the same dice.",
        # Draws.
        "draw": "Move {turn}, {who}: dice {faces} -> {open}.",
        "draw free": "Move {turn}, {who}: no dice, every line is open.",
        "you": "you",
        "me": "me",
        "line": "line {lines}",
        "lines": "lines {lines}",
        "no line": "no room, a pass",
        "points": "{lines}: {points}",
        "next": "Next for {who}: dice {faces}.",
        "no dice": sentences.say("no dice", "en"),
        # Refereeing.
        "referee": "I referee this game and throw the dice for both; I tell you each draw here, and who looks on "
        "there.",
        "referee passes": "Two passes do not end it while there is room on some line: then the last pass is undone, "
        "and "
        "the second who passed plays, or gets new dice. If both of you say !stop, the next two passes end it.",
        "referee help": "I referee Aleago: type !referee when you play, or are about to, and I throw the dice.",
        "referee in game": "!rules the rules, !dice the draw again, !options what you two can agree on before the "
        "first move, !stop let the next two passes end it, !bye I leave, !help this; !aide en français.",
        "referee comes": "I come to your game and throw the dice; if it has not begun, when it does.",
        "referee goes": "{user} sends me away. Secret of the dice so far: {secret}.",
        "referee wrong": "{who}: {why}. Please undo it, and the other side please agree; then {open}.",
        "referee lets stand": "{vertex} was off its line, and it was played on: it stands.",
        "referee lost": "{why}. I cannot follow this game any more.",
        "referee again": "Neither of you had a point: undo the last pass, and the dice are thrown anew.",
        "referee second plays": "There is room left, and the second who passes has to play: undo the last pass, "
        "then {open}.",
        "referee stop": "{user} would let the next two passes end it; if the other side agrees, it types !stop, too.",
        "player": "{colour} ({name})",
        # A board that we draw.
        "offer board": "{title} against a bot: come in and read the chat",
        "board": "Here a game of {title} can be played against me: type !black or !white, then your moves, such as d4.",
        "board rules": "Alter Igo: a stone or chain that is left without a liberty goes, your own too, and so does the "
        "stone just played; whoever loses a lone stone by its own move loses. No passing, no counting.",
        "board how": "Type your moves here, such as d4; undo takes back, resign gives up; !help helps.",
        "board yours": "You have {colour}.",
        "board turn": "It is my turn.",
        "board wrong": "{why}. Type another point.",
        "board over": "The game is over: {result}.",
        # Agreeing on something.
        "no option": "{what} is not possible.",
        "wished": "{user} would like: dice {dice}, crystal ball {ball}, without dice: {free}. Who agrees types !yes, "
        "or the same.",
        # A game that each player is told in private.
        "parlour": "I referee Go Fantôme, with each player in private: type !black or !white here, and somebody else "
        "the other colour. !bye gives your colour back; !aide en français.",
        "parlour bot": "!bot plays against me.",
        "parlour waits": "You have {colour}. The game begins when somebody types {word}. Stay in the room.",
        "parlour taken": "{user} has {colour} already; type {word} for the other colour.",
        "parlour in game": "Your game against {user} waits: it goes on when {user} is in the room. !bye breaks it off.",
        "parlour room": "Come into the room {room} for that.",
        "parlour guest": "Guests cannot play: under your name anybody could come back and ask for your stones. Log in "
        "with an account.",
        "parlour free": "The colour is free again.",
        "whisper": "This is Go Fantôme: nobody sees the other's stones. Tell me here where you play, such as d4; what "
        "I answer is all that is said. An impossible move costs nothing: try another point.",
        "whisper how": "pass passes, resign gives up, !board shows your stones, !options what can be agreed on before "
        "the first move, !help lists all; !aide en français.",
        "whisper help": "Type a point such as d4, pass or resign. !board your stones and what was said, !rules the "
        "rules, !options what can be agreed on before the first move, !bye break the game off if both like, !help "
        "this; !aide en français.",
        "whisper yours": "You have {colour}; {user} has {other}.",
        "whisper goes on": "The game goes on.",
        "whisper since": "Since your last turn: {said}",
        "whisper stones": "Your stones: {list}.",
        "whisper no stones": "You have no stone on the board.",
        "whisper your turn": "It is your turn.",
        "whisper their turn": "It is the turn of {user}.",
        "whisper no undo": "In Go Fantôme nothing is taken back: what was heard cannot be unheard.",
        "whisper no point": "There is no point {vertex} on this board.",
        "whisper no stone": "There is no stone on {vertex}.",
        "whisper too fast": "Not so fast: I have not read that. Say it again in a while.",
        "whisper left": "{user} has left the room. The game is kept, and goes on when {user} is back.",
        "whisper options": "Now: {now}. Before the first move you can type such as !options size=9. Possible are sizes "
        "{sizes}; {choices}.",
        "whisper wished": "{user} would like {wish}. Who agrees types !yes, or the same.",
        "whisper agreed": "Agreed: {now}.",
        "whisper counting": "Nothing is hidden any more. !dead d4 calls the chain there dead, or no longer; when both "
        "have typed !count, it is counted.",
        "whisper standing": "As it stands: {result}.",
        "whisper count": "{user} would count it so; who agrees types !count, too.",
        "whisper bye": "{user} would break the game off, without a result; who agrees types !bye, too.",
        "whisper broken off": "The game is broken off, without a result.",
        "whisper true": "The referee's board:",
        "whisper public": "{black} (Black) and {white} (White) have played Go Fantôme: {result}.",
        # Wrong stones, passes.
        "wrong": "{why}. I take it back; play on {open}.",
        "wrong ask": "{why}. Please undo it and play on {open}.",
        "wrong stays": "{why}. It stands this time.",
        "wrong end": "{why}. I cannot go on like this.",
        "again me": "I have no point and must pass after you; the dice are thrown anew for both of us.",
        "again you": "You had no point: both passes stay between us, and the dice are thrown anew.",
        "hand back": "I must pass and you passed: it is your turn again, with new dice.",
        "second plays": "There is room left, and the second who passes has to play: {open}.",
        "stopped": "Agreed: the next two passes end the game.",
        "divergence": "Here Alter Igo and Go differ ({vertex}), and this server knows only Go. Our game ends here.",
        "alive": "{vertex} is not dead as I see it; I go back to the game so that we play it out.",
        "please undo": "Please accept my undo: the game is not over. If you do not, it ends as it stands.",
        "alive marks": "{vertex} is not dead as I see it; I clear the marks.",
        "no undo": "I let {count} moves be taken back in a game, no more.",
        "engine": "My engine has failed; I give the game up. Sorry!",
        # The end.
        "secret": "Secret of the dice: {secret}. Anybody can check: gtp-variants verify.",
        "score": "By our rules: {result}.",
    },
    "fr": {
        "blocked": "Désolé, je ne joue pas avec vous.",
        "not allowed": "Désolé, je ne joue qu'avec quelques personnes pour l'instant.",
        "enough": "Nous avons joué {count} parties aujourd'hui ; revenez demain.",
        "size": "Je joue en taille {sizes}, pas en {size}.",
        "main": "Je joue avec {least} à {most} minutes, pas avec {given}.",
        "period": "Je joue avec {least} à {most} minutes de byo-yomi, pas avec {given}.",
        "handicap": "Je joue avec {least} à {most} pierres de handicap.",
        "komi": "Je joue avec un komi de {least} à {most}.",
        "rated": "Je ne joue que des parties libres.",
        "colour": "Je ne joue que {colour}.",
        "busy": "Je suis en train de jouer ; réessayez après cette partie.",
        "leaving": "Je m'en vais bientôt ; réessayez plus tard.",
        "offer go": "Je suis un bot. Parties libres.",
        "offer aleago": "Aléago (go aux dés) : lisez mon chat, tapez !règles",
        "offer alter-igo": "Alter Igo : lisez mon chat, tapez !règles",
        "aleago": sentences.say("aleago in short", "fr"),
        "aleago passes": "Deux passes ne finissent rien tant qu'il reste de la place sur une ligne : le second qui "
        "passe joue, ou l'on relance les dés. Dites !fin si les deux prochaines passes doivent finir la partie.",
        "alter-igo": "C'est Alter Igo. Ce serveur ne connaît que le go : à la première prise qui diffère, on s'arrête.",
        "commitment": "Dés fixés avant la partie : sha256 {commitment}. Je révèle le secret à la fin.",
        "help": "!règles les règles, !dés le tirage encore, !fin les deux prochaines passes finissent la partie, "
        "!réglages ce dont on peut convenir, !aide ceci ; !help in English.",
        "options": "Pour l'instant : dés {dice}, boule de cristal {ball}, sans dés : {free}. Avant le premier coup "
        "vous pouvez taper !dés {choices} (ou d'autres, ou tableau), !boule oui ou non (le tirage suivant est connu "
        "aussi), !handicap noir, blanc ou aucun (qui joue sans dés).",
        "agreed": "D'accord : dés {dice}, boule de cristal {ball}, sans dés : {free}.",
        "too late": "Cela se convient avant le premier coup seulement.",
        "on": "oui",
        "off": "non",
        "nobody": "personne",
        "go on": "La partie continue avec les mêmes dés.",
        "draw": "Coup {turn}, {who} : dés {faces} -> {open}.",
        "draw free": "Coup {turn}, {who} : sans dés, toutes les lignes sont ouvertes.",
        "you": "vous",
        "me": "moi",
        "line": "ligne {lines}",
        "lines": "lignes {lines}",
        "no line": "plus de place, il faut passer",
        "points": "{lines} : {points}",
        "next": "Ensuite pour {who} : dés {faces}.",
        "no dice": sentences.say("no dice", "fr"),
        "referee": "J'arbitre cette partie et je lance les dés pour vous deux ; je dis chaque tirage ici, et aux "
        "spectateurs là-bas.",
        "referee passes": "Deux passes ne finissent rien tant qu'il reste de la place sur une ligne : on annule la "
        "dernière "
        "passe, et le second qui a passé joue, ou reçoit de nouveaux dés. Si vous dites tous deux !fin, les deux "
        "prochaines "
        "passes finissent la partie.",
        "referee help": "J'arbitre Aléago : tapez !arbitre quand vous jouez, ou juste avant, et je lance les dés.",
        "referee in game": "!règles les règles, !dés le tirage encore, !réglages ce dont vous pouvez convenir avant "
        "le premier coup, !fin les deux prochaines passes finissent la partie, !adieu je m'en vais, !aide ceci ; !help "
        "in English.",
        "referee comes": "Je viens à votre partie et je lance les dés ; si elle n'a pas commencé, dès qu'elle "
        "commence.",
        "referee goes": "{user} me renvoie. Secret des dés jusqu'ici : {secret}.",
        "referee wrong": "{who} : {why}. Annulez-la s'il vous plaît, et l'autre côté, acceptez ; puis {open}.",
        "referee lets stand": "{vertex} n'était pas sur sa ligne, et l'on a joué la suite : elle reste.",
        "referee lost": "{why}. Je ne peux plus suivre cette partie.",
        "referee again": "Aucun de vous n'avait de point : annulez la dernière passe, et l'on relance les dés.",
        "referee second plays": "Il reste de la place, et le second qui passe doit jouer : annulez la dernière "
        "passe, puis {open}.",
        "referee stop": "{user} laisserait les deux prochaines passes finir la partie ; si l'autre est d'accord, "
        "qu'il tape !fin.",
        "player": "{colour} ({name})",
        "offer board": "{title} contre un bot : entrez et lisez le chat",
        "board": "Ici on peut jouer à {title} contre moi : tapez !noir ou !blanc, puis vos coups, comme d4.",
        "board rules": "Alter Igo : une pierre ou une chaîne qui reste sans liberté s'en va, la vôtre aussi, même "
        "celle que "
        "vous venez de poser ; qui perd une pierre seule par son propre coup perd. On ne passe pas, on ne compte pas.",
        "board how": "Tapez vos coups ici, comme d4 ; undo reprend, abandon abandonne ; !aide aide.",
        "board yours": "Vous avez {colour}.",
        "board turn": "C'est à moi de jouer.",
        "board wrong": "{why}. Tapez un autre point.",
        "board over": "La partie est finie : {result}.",
        "no option": "{what} n'est pas possible.",
        "wished": "{user} voudrait : dés {dice}, boule de cristal {ball}, sans dés : {free}. Qui est d'accord tape "
        "!oui, ou la même chose.",
        "parlour": "J'arbitre le Go Fantôme, avec chacun en privé : tapez !noir ou !blanc ici, et quelqu'un d'autre "
        "l'autre couleur. !adieu rend votre couleur ; !help in English.",
        "parlour bot": "!bot joue contre moi.",
        "parlour waits": "Vous avez {colour}. La partie commence quand quelqu'un tape {word}. Restez dans la salle.",
        "parlour taken": "{user} a déjà {colour} ; tapez {word} pour l'autre couleur.",
        "parlour in game": "Votre partie contre {user} attend : elle reprend quand {user} est dans la salle. !adieu "
        "l'interrompt pour de bon.",
        "parlour room": "Venez pour cela dans la salle {room}.",
        "parlour guest": "Un invité ne peut pas jouer : n'importe qui pourrait revenir sous votre nom et demander vos "
        "pierres. Connectez-vous avec un compte.",
        "parlour free": "La couleur est de nouveau libre.",
        "whisper": "C'est le Go Fantôme : personne ne voit les pierres de l'autre. Dites-moi ici où vous jouez, comme "
        "d4 ; ma réponse est tout ce qui se dit. Un coup impossible ne coûte rien : proposez un autre point.",
        "whisper how": "passe passe, abandon abandonne, !goban montre vos pierres, !réglages ce dont on peut convenir "
        "avant le premier coup, !aide dit tout ; !help in English.",
        "whisper help": "Tapez un point comme d4, passe ou abandon. !goban vos pierres et ce qui s'est dit, !règles "
        "les règles, !réglages ce dont on peut convenir avant le premier coup, !adieu interrompre la partie si les "
        "deux veulent, !aide ceci ; !help in English.",
        "whisper yours": "Vous avez {colour} ; {user} a {other}.",
        "whisper goes on": "La partie continue.",
        "whisper since": "Depuis votre dernier tour : {said}",
        "whisper stones": "Vos pierres : {list}.",
        "whisper no stones": "Vous n'avez pas de pierre sur le goban.",
        "whisper your turn": "C'est à vous.",
        "whisper their turn": "C'est à {user}.",
        "whisper no undo": "Au Go Fantôme on ne reprend rien : ce qui a été entendu ne s'oublie pas.",
        "whisper no point": "Il n'y a pas de point {vertex} sur ce goban.",
        "whisper no stone": "Il n'y a pas de pierre en {vertex}.",
        "whisper too fast": "Pas si vite : je n'ai pas lu cela. Redites-le dans un moment.",
        "whisper left": "{user} a quitté la salle. La partie est conservée, et reprend quand {user} revient.",
        "whisper options": "Pour l'instant : {now}. Avant le premier coup vous pouvez taper par exemple !réglages "
        "size=9. Possibles sont les tailles {sizes} ; {choices}.",
        "whisper wished": "{user} voudrait {wish}. Qui est d'accord tape !oui, ou la même chose.",
        "whisper agreed": "D'accord : {now}.",
        "whisper counting": "Plus rien n'est caché. !morte d4 dit morte la chaîne qui s'y trouve, ou ne la dit plus ; "
        "quand les deux ont tapé !compte, on compte.",
        "whisper standing": "En l'état : {result}.",
        "whisper count": "{user} compterait ainsi ; qui est d'accord tape !compte aussi.",
        "whisper bye": "{user} interromprait la partie, sans résultat ; qui est d'accord tape !adieu aussi.",
        "whisper broken off": "La partie est interrompue, sans résultat.",
        "whisper true": "Le goban de l'arbitre :",
        "whisper public": "{black} (Noir) et {white} (Blanc) ont joué au Go Fantôme : {result}.",
        "wrong": "{why}. Je la reprends ; jouez {open}.",
        "wrong ask": "{why}. Annulez-la s'il vous plaît et jouez {open}.",
        "wrong stays": "{why}. Elle reste pour cette fois.",
        "wrong end": "{why}. Je ne peux pas continuer ainsi.",
        "again me": "Je n'ai aucun point et devrais passer après vous ; on relance les dés pour nous deux.",
        "again you": "Vous n'aviez aucun point : les deux passes restent entre nous, et on relance les dés.",
        "hand back": "Je dois passer et vous avez passé : c'est encore à vous, avec de nouveaux dés.",
        "second plays": "Il reste de la place, et le second qui passe doit jouer : {open}.",
        "stopped": "D'accord : les deux prochaines passes finissent la partie.",
        "divergence": "Ici Alter Igo et le go diffèrent ({vertex}), et ce serveur ne connaît que le go. "
        "Notre partie finit là.",
        "alive": "{vertex} n'est pas mort à mes yeux ; je reprends la partie pour que nous jouions la suite.",
        "please undo": "Acceptez mon annulation s'il vous plaît : la partie n'est pas finie. Sinon elle finit ainsi.",
        "alive marks": "{vertex} n'est pas mort à mes yeux ; j'efface les marques.",
        "no undo": "Je laisse reprendre {count} coups par partie, pas plus.",
        "engine": "Mon moteur est en panne ; j'abandonne la partie. Pardon !",
        "secret": "Secret des dés : {secret}. Chacun peut vérifier : gtp-variants verify.",
        "score": "Selon nos règles : {result}.",
    },
}

# What people type -> the command and its language, None where it does not tell.
COMMANDS = {
    "!help": ("help", "en"),
    "!aide": ("help", "fr"),
    "!rules": ("rules", "en"),
    "!règles": ("rules", "fr"),
    "!regles": ("rules", "fr"),
    "!dice": ("dice", "en"),
    "!dés": ("dice", "fr"),
    "!des": ("dice", "fr"),
    "!options": ("options", None),
    "!réglages": ("options", "fr"),
    "!reglages": ("options", "fr"),
    "!crystal": ("crystal", "en"),
    "!boule": ("crystal", "fr"),
    "!handicap": ("handicap", None),
    "!stop": ("stop", None),
    "!fin": ("stop", "fr"),
}


# What agrees to what somebody else would like, and what ends it all.
_AGREEING = {"!yes": ("yes", "en"), "!oui": ("yes", "fr")}
_LEAVING = {"!bye": ("bye", None), "!adieu": ("bye", "fr")}
# What people type to a referee, at a board that the bot draws, and to who referees in private.
TO_REFEREE: dict[str, tuple[str, str | None]] = {
    **_AGREEING,
    **_LEAVING,
    "!referee": ("referee", "en"),
    "!arbitre": ("referee", "fr"),
}
AT_BOARD = {
    "!black": ("black", "en"),
    "!noir": ("black", "fr"),
    "!white": ("white", "en"),
    "!blanc": ("white", "fr"),
}
IN_PRIVATE: dict[str, tuple[str, str | None]] = {
    **_AGREEING,
    **_LEAVING,
    **AT_BOARD,
    "!bot": ("bot", None),
    "!board": ("board", "en"),
    "!goban": ("board", "fr"),
    "!dead": ("dead", "en"),
    "!morte": ("dead", "fr"),
    "!count": ("count", "en"),
    "!compte": ("count", "fr"),
}
_LONGEST_SHOWN = 40
_VERTEX = re.compile(r"[a-z]{1,2}\d{1,2}")
# What people type beside vertices and commands.
_TYPED = {
    **dict.fromkeys(("pass", "passe"), "pass"),
    **dict.fromkeys(("resign", "abandon"), "resign"),
    **dict.fromkeys(("undo", "annuler"), "undo"),
}


def say(key: str, lang: str, **parts: object) -> str:
    """A sentence, filled in."""
    return TEXTS[lang][key].format(**parts)


def shown(text: str) -> str:
    """A text that somebody typed, short enough to be said again."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST_SHOWN])


def filled(line: str, places: dict[str, object]) -> str:
    """A greeting or farewell with its places filled in."""
    for place in PLACES:
        line = line.replace(f"{{{place}}}", str(places.get(place, "")))
    return line


def command_of(text: str, more: Mapping[str, tuple[str, str | None]] | None = None) -> tuple[str, str | None] | None:
    """The command somebody typed and the language it is in; None for other words. `more` are those of a role."""
    words = text.strip().lower().split()
    word = words[0].rstrip("?.") if words else ""
    return COMMANDS.get(word) or (more or {}).get(word)


def move_of(text: str) -> str | None:
    """The move somebody typed: a vertex in small letters, `pass`, `resign` or `undo`; None for other words."""
    word = text.strip().lower().rstrip(".!")
    return word if _VERTEX.fullmatch(word) else _TYPED.get(word)
