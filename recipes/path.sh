# shellcheck shell=bash disable=SC2154 # the recipe sets root and venv
# Put the recipes' programs and the environment $venv (a folder, or none) on the PATH. $root: top of the source tree.
PATH=$root/recipes:$root/recipes/utils:$PATH
[ "$venv" = none ] || PATH=$venv/bin:$PATH
export PATH LC_ALL=C.UTF-8
