"""The advisor as tools for agents, over the Model Context Protocol on standard input and output.

command   `advisor mcp`: its options, and what to install
asked     what a tool takes, as models: the schema a client shows and the check of what it sends
roots     files that an agent names: read below the folders given at start, or not at all
work      the processes in which that is done
tools     one call -> one job -> its answer, as text and as data; runs in a worker process
guide     the words an agent reads before it calls
lines     what is read, with whole characters alone
server    the protocol; the one module that knows the SDK
"""
