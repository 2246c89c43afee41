"""Fixtures: the product of a backend file, which runs for the tests of a worker that use it."""

import pytest
from product_process import PRODUCTS as PROCESSES
from product_process import ProductProcess
from transcripts import PRODUCTS, has_steps


@pytest.fixture(scope="session", params=PRODUCTS, ids=lambda product: product.name)
def running(request, tmp_path_factory):
    """A product and its process."""
    process = ProductProcess(request.param.name, tmp_path_factory.mktemp(request.param.name) / "product")
    yield request.param, process
    process.stop()


def pytest_collection_modifyitems(items):
    """Keeps the tests of a product together, also where several workers share them, because it starts slowly; leaves out what it lacks."""
    assert set(PROCESSES) == {product.name for product in PRODUCTS}
    items[:] = filter(has_steps, items)
    items.sort(key=lambda item: item.callspec.params["running"].name)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(item.callspec.params["running"].name))
