"""Gradio's search for a component by its id: a table of the tree instead of a walk through it.

As a page opens Gradio looks up each listener's components, more than a thousand times, and each time walks through some
hundred components that Svelte watches: up to a quarter of what opening a page costs. The tree is built once (the lab
has no gr.render), so that one walk is enough.
"""

import re

SEARCH = re.compile(
    rb"function (?P<name>\w+)\((?P<tree>\w+),(?P<id>\w+)\)\{if\((?P=tree)\.id===(?P=id)\)return (?P=tree);"
    rb"if\((?P=tree)\.children\)for\(let (?P<child>\w+) of (?P=tree)\.children\)\{"
    rb"let (?P<found>\w+)=(?P=name)\((?P=child),(?P=id)\);if\((?P=found)\)return (?P=found)\}return null\}"
)
TABLE = (
    rb"const labTables=new WeakMap,labEnter=(node,table)=>{table.set(node.id,node);"
    rb"for(const child of node.children||[])labEnter(child,table);return table};"
    rb"function \g<name>(tree,id){let table=labTables.get(tree);"
    rb"if(!table)labTables.set(tree,table=labEnter(tree,new Map));return table.get(id)??null}"
)


def quick(script: bytes) -> bytes:
    """The script with a table in the place of the search. One without such a search is left alone: a Gradio that looks
    things up otherwise is only slower."""
    return SEARCH.sub(TABLE, script)
