"""Deployment files -> what they deploy: `recognise.read_file` is the front of this room within the room."""
