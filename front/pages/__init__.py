"""What the commands print: pages and records, without a word of options and arguments."""
