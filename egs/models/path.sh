# shellcheck shell=bash disable=SC2154 # the recipe sets root and venv
# Where the programs of a recipe are; reads $root (top of the source tree) and $venv (an environment, or none).
PATH=$root/recipes:$root/recipes/utils:$PATH
[ "$venv" = none ] || PATH=$venv/bin:$PATH
export PATH LC_ALL=C.UTF-8
