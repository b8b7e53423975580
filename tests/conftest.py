import os
import sys
from pathlib import Path

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers share the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def one_thread():
    """torch counts the cores by itself, and the workers share them."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
