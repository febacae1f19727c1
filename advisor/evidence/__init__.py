"""What was seen: readers turn artifacts into facts; `reading.read` sends each artifact to the readers of its kind."""
