"""What somebody else wrote, read without trust: JSON, safetensors, state dicts of torch.
Nothing in a file is run, and nothing that it claims is believed before its size is known."""
