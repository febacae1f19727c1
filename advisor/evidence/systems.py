"""The names by which a text says that a machine runs Linux; every reader of operating systems looks for these."""

from __future__ import annotations

LINUX = (
    r"Ubuntu|Debian|CentOS|RHEL|Red Hat|Rocky Linux|AlmaLinux|Fedora|openEuler|EulerOS|Kylin|openSUSE|SUSE|DGX OS|"
    r"Arch Linux"
)
"""Distributions, as a pattern to be looked for in any case."""
