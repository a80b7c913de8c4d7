"""What a session says in English and French, and how it tells what happened."""

from collections.abc import Iterable
from typing import Any

from gtp_variants.records.sentences import event_sentence
from gtp_variants.rules import words
from gtp_variants.rules.views import News

_TEXTS = {
    "en": {
        "yes or no": "yes or no?",
        "yes": "yes y",
        "no": "no n",
        "leave": "Leave? The game is kept. (yes/no)",
        "kept": "The game is kept in {path}",
        "not kept": "The game cannot be kept: {why}",
        "go on": "Go on with it: {command}",
        "help": "A point such as {vertex} places a stone; `help` tells what else there is.",
        "rules": "The rules in words: {command}",
        "who": "{name}: {who}",
        "person": "a person",
        "you": "you",
        "resumed": "The game goes on where it was.",
        "commitment": "Commitment to the dice, which nobody can change any more: {commitment}",
        "short secret": "Dice from a short text can be guessed; for a serious game leave --seed away.",
        "throws": "{name} throws {faces}",
        "stone": "{name}: {vertex}",
        "taken": "off the board: {list}",
        "show": "shown to both: {list}",
        "show one": "shown to {name} alone: {list}",
        "refused": "{vertex} was refused",
        "stands": "a stone of {name} stands on {vertex}",
        "nothing": "no stone stands on {vertex}",
        "prompt": "{name} > ",
        "suspended": "Passes have stopped the game. `pass` agrees to the end; a stone or `resume` plays on.",
        "dead how": "Before that, `dead VERTEX` takes a chain off that both call dead.",
        "standing": "As it stands: {result}",
        "count": "{name} {points}",
        "count komi": "{name} {points} + {komi} komi = {total}",
        "thinks": "{name} thinks ...",
        "failed": "{bot} failed: {why}",
        "see": "Press Enter; then hand the keyboard to {name}. ",
        "cover": "The keyboard goes to {name}. {name}, press Enter when nobody else looks. ",
        "seat board": "What {name} knew",
        "referee board": "The referee's board",
        "said since": "Since your last turn:",
        "finished": "{result}. Record: {path}",
        "finished unkept": "{result}",
        "replayed": "gtp-variants verify checks it, dice included.",
        "unknown": "{word} is no command and no point; `help` lists the commands.",
        "unknown like": "{word} is no command and no point: did you mean `{like}`?",
        "vertex": "{word} is no point of this board: points are named like {vertex}.",
        "which vertex": "Which point? `{command} {vertex}`, for example.",
        "no argument": "`{command}` takes nothing after it.",
        "no undo hidden": "In Go Fantôme nothing is taken back: what was heard cannot be unheard.",
        "no undo": "There is nothing to take back.",
        "undone": "Taken back. The same dice would fall again.",
        "undone plain": "Taken back.",
        "hint": "Hint: {action}",
        "no hint": "No hint: {why}",
        "odds": "Where the stones that {name} does not see may be",
        "odds how": "In tenths: 5 is even, # is nearly sure, a dot is unlikely. {stones} out of sight; "
        "boards imagined that agree with all you heard: {boards}.",
        "odds of": "{vertex:>4} {percent:>3} % {bar}",
        "odds none": "No board was found in time that agrees with all you heard; ask again to go on looking.",
        "odds open": "Nothing is hidden in this game.",
        "empty": "{vertex} is empty.",
        "unseen": "You see no stone on {vertex}.",
        "liberties": "{stones} on {vertex}: {count}, {list}",
        "liberties seen": "{stones} on {vertex}: as far as you see {count}, {list}",
        "liberty one": "1 liberty",
        "liberty more": "{count} liberties",
        "no atari": "No chain is in atari.",
        "no atari seen": "As far as you see, no chain of yours is in atari.",
        "atari": "In atari: {list}",
        "saved": "Saved in {path}",
        "saved dice": "Its dice can be checked once the game is over and the secret is revealed.",
        "save hidden": "Until the end the game is only kept: a file would show the hidden stones.",
        "save exists": "{path} is there already; choose another name.",
        "save failed": "Cannot save: {why}",
        "not suspended": "The game is not stopped by passes: just play.",
        "agrees": "{name} agrees to the end",
        "resign": "Does {name} really resign? (yes/no)",
        "not resigned": "Then the game goes on.",
        "new kept": "The game before is kept: {command}",
        "no score": "There is no score in this game.",
        "no score hidden": "The referee counts at the end, not before.",
        "no dead": "Stones count as they stand in this game; dead=agreed in its name lets both agree on dead ones.",
        "dead when": "Dead stones are agreed on after the passes that stop the game.",
        "no stone": "There is no stone on {vertex}.",
        "counting": "Both agree to the end. `dead VERTEX` takes off a chain that both call dead; `end` counts.",
        "end when": "`end` counts after both have agreed to the end.",
        "level": "The bot plays at level {level} now.",
        "level which": "There is no such level: {why}",
        "no level": "{bot} has no levels.",
        "no bot": "No bot plays here.",
        "no draws": "No dice are thrown in this game.",
        "draw": "turn {turn}, {name}: {faces}",
        "draw free": "no line binds",
        "no record": "Nothing has happened yet.",
        "dice which": "Dice are named like 1d6 or 2d4.",
        "your stone": "Your own stone stands on {vertex}.",
        "cannot": "That is not possible now.",
        "list none": "No unfinished game is kept.",
        "list": "{path}: {spec}, turn {turn}",
        "no clear": "two people in Go Fantôme need a terminal that can be cleared; this one cannot",
        "hide": "Press Enter to hide it. ",
        "referee help": "A try is a point such as {vertex}, in turn, or with its colour: b {vertex}, w {vertex}.",
        "referee unseen": "What you type is not shown. `help` lists the rest.",
        "not understood": "Not understood: type a point such as {vertex}, pass, or help.",
        "referee suspended": "Two passes. `count` if both agree to the end; a try or `resume` plays on.",
        "referee counting": "Both agree to the end. `dead VERTEX` takes off a chain both call dead; `count` counts.",
        "withdrawn": "Correction: the last announcement is withdrawn, {name} is to play",
        "own": "{name} looks at the screen, {other} looks away? (yes/no)",
        "own whose": "Whose stones? `own b` or `own w`.",
        "look away": "Do both players look away? (yes/no)",
        "stones of": "Stones of {name}",
        "both agree": "Do both players agree that the game is over? (yes/no)",
        "count when": "It is counted after two passes.",
        "too narrow": "The board is {needs} columns wide, this window has {has}: make it wider, then `board`.",
    },
    "fr": {
        "yes or no": "oui ou non ?",
        "yes": "oui o yes y",
        "no": "non n no",
        "leave": "Quitter ? La partie est conservée. (oui/non)",
        "kept": "La partie est conservée dans {path}",
        "not kept": "La partie ne peut pas être conservée : {why}",
        "go on": "Pour la reprendre : {command}",
        "help": "Un point comme {vertex} pose une pierre ; « aide » dit le reste.",
        "rules": "Les règles en toutes lettres : {command}",
        "who": "{name} : {who}",
        "person": "une personne",
        "you": "vous",
        "resumed": "La partie reprend où elle en était.",
        "commitment": "Engagement sur les dés, que nul ne peut plus changer : {commitment}",
        "short secret": "Des dés tirés d'un texte court se devinent ; pour une partie sérieuse, n'employez pas --seed.",
        "throws": "{name} lance {faces}",
        "stone": "{name} : {vertex}",
        "taken": "hors du plateau : {list}",
        "show": "montrées aux deux : {list}",
        "show one": "montrées à {name} seul : {list}",
        "refused": "{vertex} a été refusé",
        "stands": "une pierre de {name} se trouve en {vertex}",
        "nothing": "il n'y a pas de pierre en {vertex}",
        "prompt": "{name} > ",
        "suspended": "Des passes arrêtent la partie. « passe » accepte la fin ; une pierre ou « reprends » continue.",
        "dead how": "Avant cela, « morte POINT » ôte une chaîne que les deux disent morte.",
        "standing": "En l'état : {result}",
        "count": "{name} {points}",
        "count komi": "{name} {points} + {komi} de komi = {total}",
        "thinks": "{name} réfléchit ...",
        "failed": "{bot} a échoué : {why}",
        "see": "Entrée, puis passez le clavier à {name}. ",
        "cover": "Le clavier est à {name}. {name}, Entrée quand personne d'autre ne regarde. ",
        "seat board": "Ce que {name} savait",
        "referee board": "Le goban de l'arbitre",
        "said since": "Depuis votre dernier tour :",
        "finished": "{result}. Partie : {path}",
        "finished unkept": "{result}",
        "replayed": "gtp-variants verify la vérifie, dés compris.",
        "unknown": "{word} n'est ni une commande ni un point ; « aide » donne les commandes.",
        "unknown like": "{word} n'est ni une commande ni un point : vouliez-vous dire « {like} » ?",
        "vertex": "{word} n'est pas un point de ce plateau : un point se nomme comme {vertex}.",
        "which vertex": "Quel point ? Par exemple « {command} {vertex} ».",
        "no argument": "« {command} » s'emploie seul.",
        "no undo hidden": "Au Go Fantôme on ne reprend rien : ce qui a été entendu ne s'oublie pas.",
        "no undo": "Il n'y a rien à reprendre.",
        "undone": "Coup repris. Les mêmes dés retomberaient.",
        "undone plain": "Coup repris.",
        "hint": "Conseil : {action}",
        "no hint": "Pas de conseil : {why}",
        "odds": "Où peuvent être les pierres que {name} ne voit pas",
        "odds how": "En dixièmes : 5, une chance sur deux ; #, presque sûr ; un point, improbable. {stones} hors de "
        "vue ; gobans imaginés qui s'accordent avec tout ce que vous avez entendu : {boards}.",
        "odds of": "{vertex:>4} {percent:>3} % {bar}",
        "odds none": "Aucun goban trouvé à temps qui s'accorde avec ce que vous avez entendu ; redemandez, et l'on "
        "cherchera encore.",
        "odds open": "Rien n'est caché à ce jeu.",
        "empty": "{vertex} est vide.",
        "unseen": "Vous ne voyez aucune pierre en {vertex}.",
        "liberties": "{stones} en {vertex} : {count}, {list}",
        "liberties seen": "{stones} en {vertex} : pour ce que vous voyez {count}, {list}",
        "liberty one": "1 liberté",
        "liberty more": "{count} libertés",
        "no atari": "Aucune chaîne n'est en atari.",
        "no atari seen": "Pour ce que vous voyez, aucune de vos chaînes n'est en atari.",
        "atari": "En atari : {list}",
        "saved": "Enregistrée dans {path}",
        "saved dice": "Ses dés se vérifieront quand la partie sera finie et le secret révélé.",
        "save hidden": "Jusqu'à la fin la partie est seulement conservée : un fichier montrerait les pierres cachées.",
        "save exists": "{path} existe déjà ; choisissez un autre nom.",
        "save failed": "Enregistrement impossible : {why}",
        "not suspended": "La partie n'est pas arrêtée par des passes : jouez.",
        "agrees": "{name} accepte la fin",
        "resign": "{name} abandonne vraiment ? (oui/non)",
        "not resigned": "Alors la partie continue.",
        "new kept": "La partie d'avant est conservée : {command}",
        "no score": "On ne compte pas de points à ce jeu.",
        "no score hidden": "L'arbitre compte à la fin, pas avant.",
        "no dead": "Les pierres comptent comme elles sont ; avec dead=agreed on s'accorde sur les mortes.",
        "dead when": "On s'accorde sur les pierres mortes après les passes qui arrêtent la partie.",
        "no stone": "Il n'y a pas de pierre en {vertex}.",
        "counting": "Les deux acceptent la fin. « morte POINT » ôte une chaîne morte pour les deux ; « fin » compte.",
        "end when": "« fin » compte quand les deux ont accepté la fin.",
        "level": "Le programme joue maintenant au niveau {level}.",
        "level which": "Il n'y a pas de tel niveau : {why}",
        "no level": "{bot} n'a pas de niveaux.",
        "no bot": "Aucun programme ne joue ici.",
        "no draws": "On ne lance pas de dés à ce jeu.",
        "draw": "tour {turn}, {name} : {faces}",
        "draw free": "aucune ligne imposée",
        "no record": "Il ne s'est encore rien passé.",
        "dice which": "Les dés se nomment comme 1d6 ou 2d4.",
        "your stone": "Votre propre pierre est en {vertex}.",
        "cannot": "Ce n'est pas possible maintenant.",
        "list none": "Aucune partie inachevée n'est conservée.",
        "list": "{path} : {spec}, tour {turn}",
        "no clear": "à deux, le Go Fantôme demande un terminal qui sait s'effacer ; celui-ci ne le sait pas",
        "hide": "Entrée pour cacher. ",
        "referee help": "Un coup est un point comme {vertex}, à son tour, ou avec sa couleur : n {vertex}, b {vertex}.",
        "referee unseen": "Ce que vous tapez ne s'affiche pas. « aide » donne le reste.",
        "not understood": "Pas compris : tapez un point comme {vertex}, passe, ou aide.",
        "referee suspended": "Deux passes. « compte » si les deux acceptent la fin ; un coup ou « reprends » continue.",
        "referee counting": "Les deux acceptent la fin. « morte POINT » ôte une chaîne morte ; « compte » compte.",
        "withdrawn": "Correction : la dernière annonce est retirée, c'est à {name} de jouer",
        "own": "{name} regarde l'écran, {other} regarde ailleurs ? (oui/non)",
        "own whose": "Les pierres de qui ? « siennes n » ou « siennes b ».",
        "look away": "Les deux joueurs regardent-ils ailleurs ? (oui/non)",
        "stones of": "Les pierres de {name}",
        "both agree": "Les deux joueurs sont-ils d'accord que la partie est finie ? (oui/non)",
        "count when": "On compte après deux passes.",
        "too narrow": "Le plateau fait {needs} colonnes, cette fenêtre {has} : élargissez-la, puis « plateau ».",
    },
}


def say(key: str, lang: str, **parts: object) -> str:
    """A sentence of this module, filled in."""
    return _TEXTS[lang][key].format(**parts)


def quoted(word: str) -> str:
    """What a person typed, short and without anything a terminal would obey."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in word[:20])
    return f"'{shown}'"


def answer_of(line: str, lang: str) -> bool | None:
    """Yes or no, None for neither."""
    word = line.strip().lower()
    if word in _TEXTS[lang]["yes"].split():
        return True
    return False if word in _TEXTS[lang]["no"].split() else None


def told(rules: Any, news: News, colour: int) -> Iterable[str]:
    """What a piece of news says to the seat of a colour, a sentence each."""
    lang = rules.lang
    if news.said:
        yield from rules.sentences(news.said)
    elif news.action is not None and news.action >= 0 and news.actor:
        yield say("stone", lang, name=words.name(news.actor, lang), vertex=rules.board.vertex(news.action))
    elif news.action is not None and news.action < 0:
        yield event_sentence(rules, news.actor, news.action, news.after)
    if news.captured:
        listed = " ".join(rules.named(news.captured))
        is_owner = news.actor != colour
        alone = rules.values.get("captures") == "owner"
        key = "taken" if rules.is_open or (alone and not is_owner) else "show one" if alone else "show"
        yield say(key, lang, list=listed, name=words.name(colour, lang))
    if news.refused and news.action is not None and news.actor == colour:
        vertex = rules.board.vertex(news.action)
        yield say("refused", lang, vertex=vertex)
        if news.shown is not None:
            yield say(
                "stands" if news.shown else "nothing",
                lang,
                vertex=vertex,
                name=words.name(rules.others(colour)[0], lang),
            )
