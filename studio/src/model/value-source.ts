import { createScanner, findNodeAtLocation, type JSONPath, type Node } from 'jsonc-parser'
import { type Range, treeOf } from './route-document.ts'

/** The text of a value with the comments directly before it, and the white space before it on its line. */
export interface ValueSource {
  readonly text: string
  readonly indent: string
}

export function sourceAt(text: string, path: JSONPath): ValueSource {
  const range = sourceRange(text, path)
  if (range === null) return { text: 'null', indent: '' }
  return { text: text.slice(range.from, range.to), indent: indentAt(text, range.from) }
}

/** Replaces a value and the comments directly before it by the text of another one, indented as the place needs it. */
export function withSource(text: string, path: JSONPath, source: ValueSource): string {
  const range = sourceRange(text, path)
  if (range === null) return text
  const indent = indentAt(text, range.from)
  const shifted = source.text
    .split('\n')
    .map((line, at) => (at > 0 && line.startsWith(source.indent) ? indent + line.slice(source.indent.length) : line))
  return text.slice(0, range.from) + shifted.join('\n') + text.slice(range.to)
}

/** A value of a list with the comments directly before it; any other value alone. */
function sourceRange(text: string, path: JSONPath): Range | null {
  const tree = treeOf(text)
  const node = tree === null ? undefined : findNodeAtLocation(tree, path)
  if (node === undefined) return null
  return { from: withCommentsBefore(text, node), to: node.offset + node.length }
}

/**
 * Start of the comments directly before an element. A comment at the end of the line of the element before, and one
 * above a blank line, do not belong to it.
 */
function withCommentsBefore(text: string, node: Node): number {
  const siblings = node.parent?.type === 'array' ? (node.parent.children ?? []) : []
  const previous = siblings[siblings.indexOf(node) - 1]
  if (node.parent === undefined || siblings.length === 0) return node.offset
  const gap = previous === undefined ? node.parent.offset + 1 : previous.offset + previous.length
  const comments = commentsIn(text, gap, node.offset)
  let from = node.offset
  for (const [at, comment] of [...comments.entries()].reverse()) {
    const lines = linesBetween(text, comment.to, from)
    const isOwnLine = linesBetween(text, comments[at - 1]?.to ?? gap, comment.from) > 0
    if (lines > 1 || (lines === 1 && !isOwnLine)) break
    from = comment.from
  }
  return from
}

/** Comments after the comma of a text that has nothing but a comma and comments. */
function commentsIn(text: string, from: number, to: number): readonly Range[] {
  const between = text.slice(from, to)
  const scanner = createScanner(between, false)
  const found: Range[] = []
  while (scanner.getPosition() < between.length) {
    scanner.scan()
    const start = scanner.getTokenOffset()
    const end = start + scanner.getTokenLength()
    if (between[start] === ',') found.length = 0
    if (between[start] === '/') found.push({ from: from + start, to: from + end })
  }
  return found
}

function linesBetween(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}
