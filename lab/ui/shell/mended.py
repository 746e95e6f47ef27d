"""Gradio's front end, mended where it takes the long way as a page opens, and where it asks or counts without end.

It looks up the components of each listener, more than a thousand times, and walks each time through some hundred
components that Svelte watches: a table of the tree takes the place of the walk. The tree is built once, since the lab
has no gr.render. And as soon as Gradio has built the page it builds it anew, as if the app had been written again while
it runs: this is left to the times when it was. Together this is a third of what opening a page costs a browser.

A listener that is still awaiting an answer as its event comes again is put off until the answer is there. But then
Gradio sends the event to all listeners of that event anew, one after the other, while the others are under way, who are
put off in their turn: with several listeners and answers that take long, none of it ended. Only the one is asked again.

The clock of a component that waits for an answer counts with every picture that the screen shows. That of a component
which is taken off the page meanwhile was never stopped, and a page that did nothing cost some hundredths of a processor
for as long as it was open. It counts while there is something to wait for.
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
# How often the app was written again is read in an effect, which builds it anew; the first time that is 0.
AGAIN = re.compile(rb"(\(\(\)=>\{\w+\(\)),(\w+\(\(\)=>\{(\w+)\.reload\((\w+)\.components,\4\.layout,\4\.dependencies,)")
WHOLE = re.compile(
    rb"this\.queue\.has\((?P<listener>\w+)\.id\)&&\(this\.queue\.delete\((?P=listener)\.id\),"
    rb"this\.dispatch\((?P<event>\w+)\)\)"
)
ALONE = rb'this.queue.delete(\g<listener>.id)&&this.dispatch({...\g<event>,type:"fn",fn_index:\g<listener>.id})'
CLOCK = re.compile(
    rb"(?P<count>function (?P<tick>\w+)\(\)\{\w+\(\(\)=>\{[^{}]*performance\.now\(\)[^{}]*),(?P<on>\w+)&&(?P=tick)\(\)"
    rb"(?P<then>\}\)\}.*?(?P<of>\w+)\.status===`pending`\?)",
    re.DOTALL,
)
WHILE = rb"\g<count>,\g<on>&&\g<of>.status===`pending`&&\g<tick>()\g<then>"
MENDS = ((SEARCH, TABLE), (AGAIN, rb"\1&&\2"), (WHOLE, ALONE), (CLOCK, WHILE))


def mended(script: bytes) -> bytes:
    """The script without these. One that does none of them is left alone: a Gradio that is written otherwise has its
    own faults."""
    for place, better in MENDS:
        script = place.sub(better, script)
    return script
