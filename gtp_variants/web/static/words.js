// What the page says, in English and French. What the referee says comes from the server.

const TEXTS = {
  en: {
    "new": "New game", "theme": "Light or dark", "other": "Français", "go on": "Your games", "list": "Games on this server",
    "open record": "Open a record", "open record how": "An SGF or JSON file is shown move by move.",
    "begin": "Begin", "game": "Game", "options": "Options of the rules", "level": "Strength", "clock": "Clock",
    "no clock": "no clock", "clock of": "{main} min + {more} s a move", "seat": "{name}", "me": "I play",
    "link": "somebody by a link",
    "Black": "Black", "White": "White", "Red": "Red", "you": "you", "person": "a person", "level of": "{bot}, strength {level}",
    "waiting": "not here yet", "here": "here", "watching": "{count} watching", "watch": "You are watching.",
    "your turn": "Your turn", "turn of": "{name} to play", "thinks": "{name} is thinking", "over": "The game is over",
    "asked end": "{name}: is the game over?", "your end": "Is the game over? Agree, or play on.",
    "counting": "The board is shown to both. Tap dead stones, then agree.",
    "dead how": "Tap dead stones; each of you then agrees.",
    "pass": "Pass", "agree": "Agree to the end", "swap": "Swap colours", "undo": "Take back", "resign": "Resign",
    "resign sure": "Really resign?", "yes": "Yes", "no": "No", "hint": "Hint", "share": "Share", "rules": "Rules",
    "record": "Record", "dice": "Change dice", "dice which": "New dice, such as 1d6", "dice wait": "The dice fall when all seats are taken.", "dice coming": "From the next turn on the dice are {dice}.", "more": "More",
    "wish undo": "{name} asks to take back the last move.", "wish dice": "{name} asks to play with {dice} from now on.",
    "wish mine": "The others are asked.", "allow": "Allow", "refuse": "Refuse",
    "moves": "Moves", "first": "First", "back": "Back", "forward": "Forward", "last": "Last", "live": "On now",
    "move": "move {number}", "refused": "refused", "captures": "takes {count}", "unknown": "a stone",
    "took": "stones taken", "throw": "{name} throws {faces}",
    "line": "Open: line {lines}", "lines": "Open: lines {lines}", "no lines": "No line is open", "draw": "The draw",
    "mark": "Mark guesses", "mark how": "Put aside where you think the hidden stones are: tap, right click, or M.",
    "hidden": "What you see is your own board. The referee alone sees all.",
    "watch hidden": "Those who watch hear what the referee says. The boards are shown at the end.",
    "announced": "The referee", "board of": "Board of {name}", "referee": "Board of the referee",
    "atari": "Show atari", "odds": "Next draws", "odds how": "How likely each line is to open", "speak": "Speak",
    "losing": "Show losing points",
    "share how": "Who has the link to watch can watch. An invitation is good for one person, the first who takes the seat.", "seat link": "Seat of {name}",
    "seat taken": "Somebody has taken this seat.", "renew": "New link, the old one dies", "unclaimed": "seat not taken yet",
    "invited": "You are invited to play", "invited how": "The seat is yours as soon as you take it. The link is good for nobody else then.",
    "take seat": "Take the seat", "your name": "Your name", "no name": "Name, if you like", "you as": "{name} (you)",
    "no answer": "No answer came. Try again: if the seat was yours already, it is yours.", "watch instead": "Watch the game", "no seat": "No seat by this link",
    "seat elsewhere": "The seat belongs to another browser.", "seat gone": "Your seat was opened by its recovery word elsewhere.",
    "recover how": "If the seat is yours: the recovery word that you were shown when you took it",
    "recover": "Back to my seat", "recovery word": "Recovery word",
    "recovery how": "Note it: if this browser is lost, it opens your seat again. It is not shown a second time; tell it to nobody.",
    "seat by token": "This link has the key to the seat in it: who gave it to you, and whoever else has it, sees what you see.",
    "watch link": "To watch", "copy": "Copy", "copied": "Copied", "only here": "These links work on this computer only. Start the server with --host 0.0.0.0 to play over the local network.",
    "close": "Close", "play at": "Point", "play": "Play", "read": "The board in words", "nothing": "no stones",
    "empty": "empty", "stone of": "{name} stone", "is open": "open", "is not open": "not open", "tap again": "{at}: tap again to play",
    "lost": "The connection is lost; trying again.", "gone": "This game is not here.", "home": "All games",
    "waiting for": "No game of {name} is on; the next one will be shown here.",
    "silent": "Nothing is heard of this game any more; it may come back.",
    "not kept": "The server cannot keep this game at the moment.", "commitment": "Commitment to the dice",
    "token": "The server's token", "token how": "This server lets only those begin games who know its token.",
    "board": "Board", "keys": "Arrow keys move, Enter plays.",
    "draw none": "No dice fall for this turn", "hint is": "A bot would play {at}.",
    "none yet": "No games yet.", "turn number": "turn {turn}", "finished": "finished",
    "referee how": "You are the referee for people at real boards: enter what they propose, and say what the page says.",
    "at boards": "At a real board", "at boards how": "A phone beside the board referees or throws.",
    "referee here": "Referee of Go Fantôme", "dice at board": "Dice of Aléago",
    "dice how": "The dice are settled before the first throw: everybody notes the commitment, and can check all throws at the end.",
    "which dice": "Dice and board", "dice on": "{dice} on {size}x{size}", "turn throw": "Turn {number}, {name}",
    "throw for": "Turn {number}: throw for {name}", "dice note": "Let everybody note the commitment below before the first throw.",
    "dice full": "No free point there? Then the line just below, and so on.",
    "dice end": "Put the dice away", "dice end sure": "Put the dice away and tell their secret? Nobody can throw on.",
    "dice check": "Anybody can check the throws now: gtp-variants verify with the log.", "dice log": "Log of the throws",
    "dice link": "To throw, too", "secret": "Secret",
    "hidden odds": "Where are they?", "analysis": "Analysis",
    "wrong file": "The file could not be opened", "win rate": "{name} {part} %",
  },
  fr: {
    "new": "Nouvelle partie", "theme": "Clair ou sombre", "other": "English", "go on": "Vos parties", "list": "Parties sur ce serveur",
    "open record": "Ouvrir une partie", "open record how": "Un fichier SGF ou JSON se rejoue coup par coup.",
    "begin": "Commencer", "game": "Jeu", "options": "Options des règles", "level": "Force", "clock": "Pendule",
    "no clock": "sans pendule", "clock of": "{main} min + {more} s par coup", "seat": "{name}", "me": "je joue",
    "link": "quelqu'un par un lien",
    "Black": "Noir", "White": "Blanc", "Red": "Rouge", "you": "vous", "person": "une personne", "level of": "{bot}, force {level}",
    "waiting": "pas encore là", "here": "présent", "watching": "{count} regardent", "watch": "Vous regardez.",
    "your turn": "À vous", "turn of": "À {name} de jouer", "thinks": "{name} réfléchit", "over": "La partie est finie",
    "asked end": "{name} : la partie est-elle finie ?", "your end": "La partie est-elle finie ? Acceptez, ou jouez.",
    "counting": "Le goban est montré aux deux. Touchez les pierres mortes, puis acceptez.",
    "dead how": "Touchez les pierres mortes ; chacun accepte ensuite.",
    "pass": "Passer", "agree": "Accepter la fin", "swap": "Échanger", "undo": "Reprendre", "resign": "Abandonner",
    "resign sure": "Vraiment abandonner ?", "yes": "Oui", "no": "Non", "hint": "Conseil", "share": "Partager", "rules": "Règles",
    "record": "Partie", "dice": "Changer de dés", "dice which": "Nouveaux dés, par exemple 1d6", "dice wait": "Les dés tombent quand toutes les places sont prises.", "dice coming": "À partir du tour suivant, les dés sont {dice}.", "more": "Plus",
    "wish undo": "{name} demande à reprendre le dernier coup.", "wish dice": "{name} propose de jouer désormais avec {dice}.",
    "wish mine": "On demande aux autres.", "allow": "Accepter", "refuse": "Refuser",
    "moves": "Coups", "first": "Début", "back": "Reculer", "forward": "Avancer", "last": "Fin", "live": "En cours",
    "move": "coup {number}", "refused": "refusé", "captures": "prend {count}", "unknown": "une pierre",
    "took": "pierres prises", "throw": "{name} lance {faces}",
    "line": "Ouvert : ligne {lines}", "lines": "Ouvert : lignes {lines}", "no lines": "Aucune ligne n'est ouverte", "draw": "Le tirage",
    "mark": "Marquer", "mark how": "Posez des repères là où vous devinez les pierres cachées : toucher, clic droit, ou M.",
    "hidden": "Vous voyez votre propre goban. L'arbitre seul voit tout.",
    "watch hidden": "Qui regarde entend l'arbitre. Les gobans se montrent à la fin.",
    "announced": "L'arbitre", "board of": "Goban de {name}", "referee": "Goban de l'arbitre",
    "atari": "Montrer les ataris", "odds": "Prochains tirages", "odds how": "Chances d'ouverture de chaque ligne", "speak": "Parler",
    "losing": "Montrer les points perdants",
    "share how": "Qui a le lien pour regarder peut regarder. Une invitation vaut pour une personne, la première qui prend la place.", "seat link": "Place de {name}",
    "seat taken": "Quelqu'un a pris cette place.", "renew": "Nouveau lien, l'ancien meurt", "unclaimed": "place pas encore prise",
    "invited": "Vous êtes invité à jouer", "invited how": "La place est à vous dès que vous la prenez. Le lien ne vaut alors plus pour personne.",
    "take seat": "Prendre la place", "your name": "Votre nom", "no name": "Nom, si vous voulez", "you as": "{name} (vous)",
    "no answer": "Pas de réponse. Essayez encore : si la place était déjà à vous, elle l'est.", "watch instead": "Regarder la partie", "no seat": "Pas de place par ce lien",
    "seat elsewhere": "La place appartient à un autre navigateur.", "seat gone": "Votre place a été ouverte ailleurs par son mot de secours.",
    "recover how": "Si la place est à vous : le mot de secours qui vous a été montré quand vous l'avez prise",
    "recover": "Retrouver ma place", "recovery word": "Mot de secours",
    "recovery how": "Notez-le : si ce navigateur est perdu, il rouvre votre place. Il n'est pas montré une deuxième fois ; ne le dites à personne.",
    "seat by token": "Ce lien contient la clé de la place : qui vous l'a donné, et quiconque l'a aussi, voit ce que vous voyez.",
    "watch link": "Pour regarder", "copy": "Copier", "copied": "Copié", "only here": "Ces liens ne marchent que sur cet ordinateur. Lancez le serveur avec --host 0.0.0.0 pour jouer sur le réseau local.",
    "close": "Fermer", "play at": "Point", "play": "Jouer", "read": "Le plateau en mots", "nothing": "aucune pierre",
    "empty": "vide", "stone of": "pierre de {name}", "is open": "ouvert", "is not open": "fermé", "tap again": "{at} : touchez encore pour jouer",
    "lost": "La connexion est perdue ; nouvel essai.", "gone": "Cette partie n'est pas ici.", "home": "Toutes les parties",
    "waiting for": "Aucune partie de {name} en cours ; la prochaine se montrera ici.",
    "silent": "On n'entend plus rien de cette partie ; elle reviendra peut-être.",
    "not kept": "Le serveur ne peut pas garder cette partie pour le moment.", "commitment": "Engagement des dés",
    "token": "Le jeton du serveur", "token how": "Ce serveur ne laisse commencer que ceux qui connaissent son jeton.",
    "board": "Plateau", "keys": "Les flèches déplacent, Entrée joue.",
    "draw none": "Pas de tirage pour ce tour", "hint is": "Un programme jouerait {at}.",
    "none yet": "Pas encore de partie.", "turn number": "tour {turn}", "finished": "finie",
    "referee how": "Vous arbitrez pour des joueurs à de vrais gobans : entrez ce qu'ils proposent, annoncez ce que dit la page.",
    "at boards": "Sur un vrai goban", "at boards how": "Un téléphone près du goban arbitre ou lance les dés.",
    "referee here": "Arbitre du Go Fantôme", "dice at board": "Dés d'Aléago",
    "dice how": "Les dés sont fixés avant le premier lancer : chacun note l'engagement et peut vérifier tous les lancers à la fin.",
    "which dice": "Dés et goban", "dice on": "{dice} sur {size}x{size}", "turn throw": "Tour {number}, {name}",
    "throw for": "Tour {number} : lancer pour {name}", "dice note": "Que chacun note l'engagement ci-dessous avant le premier lancer.",
    "dice full": "Plus de place ? Alors la ligne juste plus basse, et ainsi de suite.",
    "dice end": "Ranger les dés", "dice end sure": "Ranger les dés et dire leur secret ? On ne pourra plus lancer.",
    "dice check": "Chacun peut maintenant vérifier les lancers : gtp-variants verify avec la liste.", "dice log": "Liste des lancers",
    "dice link": "Pour lancer aussi", "secret": "Secret",
    "hidden odds": "Où sont-elles ?", "analysis": "Analyse",
    "wrong file": "Le fichier n'a pas pu être ouvert", "win rate": "{name} {part} %",
  },
};

const MEANINGS_FR = {
  size: "taille du goban", komi: "points ajoutés à Blanc", repetition: "quelles répétitions sont interdites",
  dead: "pierres mortes retirées d'un commun accord", dice: "dés lancés avant chaque tour",
  star: "le plus haut total ouvre aussi les lignes qu'aucun total ne nomme",
  star_lines: "lignes ouvertes par l'étoile : toutes, ou les intérieures", overflow: "total au-delà de la dernière ligne",
  fallback_ko: "un point interdit par répétition ne compte pas comme place libre",
  double_whole_board: "le plus haut double ouvre tout le goban", mapping: "quel nombre ouvre quel point",
  end_passes: "passes de suite qui finissent ou suspendent", agreement: "les passes suspendent jusqu'à l'accord des deux",
  free_player: "la couleur qui joue sans dé", crystal_ball: "le prochain tirage adverse est connu",
  announce: "plusieurs annonces : phrase par phrase ou jointes", atari: "ataris annoncés : nouveaux ou tous",
  self_atari: "annoncer encore une chaîne qui reste en atari", impossible: "qui entend un coup impossible",
  captures: "qui voit quelles pierres sont prises", refused: "ce que montre un coup impossible",
  in_a_row: "ce qui sépare deux passes", length: "essais par intersection qui finissent la partie",
  n: "hexagones par côté", immunity: "une rosette rend imprenable", rosette_suicide: "combler sa propre rosette",
  supply: "pierres par joueur", width: "largeur", height: "hauteur", first: "qui commence",
  repeat_count: "combien de fois une position fait partie nulle", white_passes: "passes de Blanc",
  board: "plateau", players: "joueurs", no_move: "quand il n'y a plus de coup", swap: "échange des couleurs au deuxième coup",
};

export const LANGUAGES = ["en", "fr"];
let lang = "en";

export function speakIn(chosen) {
  lang = LANGUAGES.includes(chosen) ? chosen : "en";
  document.documentElement.lang = lang;
}

export const language = () => lang;

export function say(key, parts = {}) {
  const text = TEXTS[lang][key];
  if (text === undefined) throw new Error(`no words for ${key} in ${lang}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => parts[name]);
}

// A word before what it names.
export const named = (key) => `${say(key)}${lang === "fr" ? "\u00a0: " : ": "}`;

const NAMES = { b: "Black", w: "White", r: "Red" };
export const nameOf = (colour) => say(NAMES[colour]);

export function meaningOf(option) {
  return (lang === "fr" && MEANINGS_FR[option.name]) || option.meaning;
}
