"""Report -> str, each output one module and one function; a rule becomes a page the same way.

    text.text            the terminal            markdown.markdown    to paste into an issue
    json.json, json_line machines                schema.schema_of     what those machines may rely on
    html.html            to look at and forward  templates/           its page, picture and style
    rule_page.rule_page  one rule, for `advisor explain`
    language.say         a sentence of ours, below.told one of the rooms below, in the reader's language

`outline` puts a report into the order a person reads it, as `blocks`; text and Markdown only lay those out. Import a
function from its own module: the text path stays free of pydantic.
"""
