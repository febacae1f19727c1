"""What the reports say, in Chinese: from the English of the code, its `{names}` kept.

The terms are those that the engines' own Chinese documentation uses; flags, names and commands stay as they are typed.
"""

from __future__ import annotations

CHINESE: dict[str, str] = {
    "Does it apply to you?": "是否适用于你的部署？",
    "What to change now": "现在该改什么",
}
