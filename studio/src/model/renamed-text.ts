import { findNodeAtLocation, getNodeValue } from 'jsonc-parser'
import { treeOf, withValue } from './route-document.ts'

/** The text of a route under another id: `_id`, and `name` where it was the old id. */
export function renamedText(text: string, id: string, next: string): string {
  const tree = treeOf(text)
  if (tree === null) return text
  let renamed = text
  for (const field of ['_id', 'name']) {
    const node = findNodeAtLocation(tree, [field])
    if (node !== undefined && getNodeValue(node) === id) renamed = withValue(renamed, [field], next)
  }
  return renamed
}
