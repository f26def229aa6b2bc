"""Templates of `rck plugins new`: small working plugins, one folder for each kind.

The names `my_plugin` and `my-plugin` in them stand for the name that the user chooses.
"""
