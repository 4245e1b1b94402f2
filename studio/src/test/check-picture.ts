import assert from 'node:assert/strict'
import { getNodeValue, type ParseError, parseTree } from 'jsonc-parser'
import { valueAt } from '../model/canvas-edits.ts'
import { layoutOf } from '../model/canvas-layout.ts'
import { allNodes, canvasModel, nodeAround } from '../model/canvas-model.ts'
import { treeOf, withValue } from '../model/route-document.ts'

/** Whether a text is a route that can be parsed without an error. */
export function isRoute(text: string): boolean {
  const value = contentOf(text)
  if (typeof value !== 'object' || value === null || !('handler' in value)) return false
  const errors: ParseError[] = []
  parseTree(text, errors, { allowTrailingComma: true })
  return errors.length === 0
}

function contentOf(text: string): unknown {
  const tree = treeOf(text)
  return tree === null ? null : getNodeValue(tree)
}

/** Checks that all objects of a route are in its picture, each at a place of its own, and that its text stays as it is. */
export function checkPicture(text: string): void {
  const route = contentOf(text)
  const model = canvasModel(text)
  const nodes = allNodes(model)
  assert.equal(new Set(nodes.map(({ id }) => id)).size, nodes.length, 'ids are unique')
  for (const node of nodes) {
    if (node.role === 'entry') continue
    const value = valueAt(text, node.path)
    assert.ok(value !== undefined, node.id)
    assert.equal(nodeAround(model, node.path)?.id, node.id)
    assert.deepEqual(contentOf(withValue(text, node.path, value)), route, 'the identity')
  }
  const { nodes: placed, edges, response } = layoutOf(model, new Set())
  assert.equal(placed.length, nodes.length)
  assert.equal(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size, placed.length, 'no two at one place')
  const ids = new Set(nodes.map(({ id }) => id))
  assert.deepEqual(response, { from: model.flow.at(-1)?.id, to: model.flow[0]?.id }, 'the way back')
  for (const { from, to } of edges) assert.ok(ids.has(from) && ids.has(to), `${from} to ${to}`)
}
