"""The option that renews the recordings of Tests/Fixtures/sessions."""


def pytest_addoption(parser):
    parser.addoption("--renew", action="store_true", help="store the recordings as the fixtures of the Swift tests")
