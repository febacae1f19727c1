"""Processes beside a face that goes on answering meanwhile: of the service and of the tools for agents.

beside   such a process as it is seen from the face: a job -> its result, or the loss of the process
inside   what runs in it: jobs come in, what came of them goes out
"""
