"""What `rck plugins new` writes: small plugins that work, one folder for each kind.

The names `my_plugin` and `my-plugin` in them stand for the name that the user chooses.
"""
