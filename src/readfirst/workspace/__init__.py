"""The use cases: each module reads like the promise it keeps."""
