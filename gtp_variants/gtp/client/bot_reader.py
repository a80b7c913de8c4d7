"""The reader of a bot's name in a configuration file."""

from gtp_variants.base.config_files import FieldUnreadable, Node, Reader
from gtp_variants.errors import ConfigError, VariantsError
from gtp_variants.gtp.client.isolated_bot import describe
from gtp_variants.players import bots


def _read_bot(node: Node) -> str:
    try:
        name = bots.relocate(node.folder, node.text().strip())
        describe(name)
    except ConfigError as error:
        for sentence in error.faults:
            node.fault(sentence)
        raise FieldUnreadable from None
    except VariantsError as error:
        node.refuse(str(error))
    return name


BOT = Reader("the name of a bot, or a class in a file", _read_bot)
