"""The service `asr-punct serve`: HTTP and WebSocket. Needs the extra `serve`."""
