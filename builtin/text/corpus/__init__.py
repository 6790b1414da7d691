"""What the built-in model is taught: tables read, questions worded, conversations put together. Standard library only."""
