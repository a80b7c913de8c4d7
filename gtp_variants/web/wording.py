"""What the server refuses people, in English and French. What only programs can do wrong is said in English."""

from gtp_variants.errors import VariantsError
from gtp_variants.rules.words import LANGUAGES

_TEXTS = {
    "en": {
        "too long": "the game has become too long: it can only be given up",
        "moved on": "the game has moved on in the meantime",
        "dead when": "dead stones are named once both have passed, where the game provides for it",
        "no undo": "there is nothing that could be taken back",
        "no dice": "no dice are thrown in this game",
        "no point": "{word}: expected a point of this board, such as {example}",
        "bad dice": "{word}: expected dice such as 1d6",
        "bad game": "{why}",
        "no wish": "nobody asks for anything",
        "hidden": "the record of a hidden game is there when it is over",
        "watching": "those who watch do nothing",
        "no hint": "a hint is for somebody who is to move against bots",
        "hint comes": "a hint is on its way",
        "hint failed": "there is no hint: {why}",
        "much advice": "too many ask for advice at the moment",
        "nothing hidden": "nothing is hidden in this game",
        "no analysis": "a game is analysed when it is over, or when it is played elsewhere",
        "no worlds": "no position was found that agrees with all the news",
        "many games": "there are {count} games on this server already",
        "many live": "{count} games are shown here already",
        "many dice": "there are {count} dice on this server already",
        "many sockets": "too many connections to this server",
        "many listeners": "too many connections to this game",
        "cannot keep": "this server cannot keep games at the moment",
        "no game": "there is no such game",
        "no seat": "this link opens no seat of this game",
        "no log": "there are no such dice",
        "dice away": "these dice have been put away",
        "dice order": "the throws come one after another",
        "token": "this server wants its token: open the address that it printed when it was started",
        "key": "this server shows no games of who does not know its key",
        "rate": "too many messages",
        "large": "longer than {count} bytes",
        "not let in": "this address or page is not let in",
        "before a throw": "the record ends before a throw of the dice",
        "long record": "a record of more than {count} events is not shown",
    },
    "fr": {
        "too long": "la partie est devenue trop longue : on ne peut plus que l'abandonner",
        "moved on": "la partie a continué entre-temps",
        "dead when": "on désigne les pierres mortes après les passes, si la partie le prévoit",
        "no undo": "il n'y a rien à reprendre",
        "no dice": "on ne lance pas de dés à ce jeu",
        "no point": "{word} : un point de ce plateau s'écrit par exemple {example}",
        "bad dice": "{word} : des dés s'écrivent par exemple 1d6",
        "bad game": "ce jeu n'est pas possible ({why})",
        "no wish": "personne ne demande rien",
        "hidden": "le compte rendu d'une partie cachée est disponible quand elle est finie",
        "watching": "qui regarde ne fait rien",
        "no hint": "un conseil est pour qui doit jouer contre des programmes",
        "hint comes": "un conseil est en route",
        "hint failed": "il n'y a pas de conseil : {why}",
        "much advice": "trop de monde demande conseil en ce moment",
        "nothing hidden": "rien n'est caché à ce jeu",
        "no analysis": "on analyse une partie finie, ou qui se joue ailleurs",
        "no worlds": "aucune position ne s'accorde avec tout ce qui a été annoncé",
        "many games": "il y a déjà {count} parties sur ce serveur",
        "many live": "{count} parties sont déjà montrées ici",
        "many dice": "il y a déjà {count} jeux de dés sur ce serveur",
        "many sockets": "trop de connexions à ce serveur",
        "many listeners": "trop de connexions à cette partie",
        "cannot keep": "ce serveur ne peut pas garder de parties pour le moment",
        "no game": "cette partie n'existe pas",
        "no seat": "ce lien n'ouvre aucune place de cette partie",
        "no log": "ces dés n'existent pas",
        "dice away": "ces dés ont été rangés",
        "dice order": "les lancers viennent l'un après l'autre",
        "token": "ce serveur demande son jeton : ouvrez l'adresse qu'il a affichée à son démarrage",
        "key": "ce serveur ne montre pas les parties de qui ne connaît pas sa clé",
        "rate": "trop de messages",
        "large": "plus long que {count} octets",
        "not let in": "cette adresse ou cette page n'est pas admise",
        "before a throw": "le compte rendu finit avant un lancer de dés",
        "long record": "un compte rendu de plus de {count} événements n'est pas montré",
    },
}


class Refused(VariantsError):
    """Something a person asked for and cannot have: a key of the texts above, and a status of HTTP."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(_TEXTS["en"][key].format(**parts))
        self.key = key
        self.status = status
        self.parts = parts

    def said(self, lang: str) -> str:
        """Why, in a language."""
        return _TEXTS[lang][self.key].format(**self.parts)


def spoken(accepted: str) -> str:
    """The first of our languages that an `Accept-Language` names, English where it names none."""
    wanted = (each.partition(";")[0].strip().lower()[:2] for each in accepted.split(","))
    return next((lang for lang in wanted if lang in LANGUAGES), "en")
