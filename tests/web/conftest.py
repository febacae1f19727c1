import pytest

from tests.web.served import serving


def pytest_collection_modifyitems(items):
    """One service for all of these tests: they stay on one process of xdist."""
    for item in items:
        if "/tests/web/" in item.path.as_posix():
            item.add_marker(pytest.mark.xdist_group("web"))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("served"), "--workers", "2", "--max-mib", "8") as served:
        yield served
