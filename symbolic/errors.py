"""What goes wrong by what a user gave."""


class InputError(ValueError):
    """What a user gave does not fit; the message is one line that says what would."""
