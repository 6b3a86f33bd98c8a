"""The rules of ALiiCE applied as they are told: on a tree of nodes, one whole tree for each claim.

Slow and simple, to compare with what is fast.
"""


class Node:
    def __init__(self, word, label, index):
        self.word, self.label, self.index = word, label, index
        self.parent = None
        self.children = []

    def way_up(self):
        node, way = self, [self]
        while node.parent:
            node = node.parent
            way.append(node)
        return way

    def below(self):
        return [self, *(node for child in self.children for node in child.below())]

    def remove(self):
        if self.parent:
            self.parent.children.remove(self)
            self.parent = None


def plant(words, heads, deps):
    nodes = [Node(word, dep, i) for i, (word, dep) in enumerate(zip(words, deps, strict=True))]
    for node, head in zip(nodes, heads, strict=True):
        if head != node.index:
            node.parent = nodes[head]
            nodes[head].children.append(node)
    (root,) = [node for node in nodes if node.parent is None]
    return root, nodes


def opens(part):
    return part.label in ("prep", "advcl") and any(node.index == 0 for node in part.below())


def meet(root, i, j):
    """The root after i has met j."""
    if j not in root.below():
        return root
    ours, theirs = i.way_up(), j.way_up()
    joint = next(node for node in ours if node in theirs)
    if joint is i:
        theirs[theirs.index(joint) - 1].remove()
        return root
    part_i = ours[ours.index(joint) - 1]
    if joint is j:
        if joint is not root:
            above = joint.parent
            part_i.remove()
            above.children[above.children.index(joint)] = part_i
            part_i.parent = above
        return root
    part_j = theirs[theirs.index(joint) - 1]
    place_i, place_j = joint.children.index(part_i), joint.children.index(part_j)
    between = joint.children[min(place_i, place_j) + 1 : max(place_i, place_j)]
    joins = [node for node in between if node.label == "cc" or node.word == ","]

    def alone():
        part_i.remove()
        return part_i

    def without_theirs():
        for node in [part_j, *joins]:
            node.remove()
        return root

    if not joins:
        return alone() if joint is root else without_theirs()
    if place_i < place_j:
        return alone() if joint is root and opens(part_i) else without_theirs()
    if joint is root:
        return without_theirs() if opens(part_j) else alone()
    joint.children = [part_i]
    return root


def plain_claims(words, heads, deps, marks):
    """The words of each claim; the whole sentence where the root is cited."""
    root, _ = plant(words, heads, deps)
    if root.index in marks:
        return [list(range(len(words)))]
    claims = []
    for node in sorted(marks):
        root, nodes = plant(words, heads, deps)
        for other in sorted(marks):
            if other != node:
                root = meet(root, nodes[node], nodes[other])
        claims.append(sorted(left.index for left in root.below()))
    return claims
