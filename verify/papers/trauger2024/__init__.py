"""Checks of Trauger and Tewari 2024, by kind of argument, and what only they need.
Keys of other papers are not registered here, and nothing else imports these checks but the exhibits and tests."""
