"""Tests that are coroutines are run as those of the bridge."""

from tests.bridge.conftest import pytest_pyfunc_call as pytest_pyfunc_call
