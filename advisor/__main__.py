"""`python -m advisor`."""

from advisor.faces.cli import main

if __name__ == "__main__":
    main()
