"""The service: the judgement over HTTP, as an API and as pages. The one room that knows the web framework."""
