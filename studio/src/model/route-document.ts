import { applyEdits, findNodeAtLocation, getLocation, type JSONPath, modify, type Node, parseTree } from 'jsonc-parser'
import type { Problem } from '../api/client.ts'

const FORMATTING = { insertSpaces: true, tabSize: 2, eol: '\n' } as const
const LENIENT = { disallowComments: false, allowTrailingComma: true } as const

/** A range of characters. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The syntax tree of a text; null for a text that has none. Comments do not matter. */
export function treeOf(text: string): Node | null {
  return parseTree(text, [], LENIENT) ?? null
}

/** Changes the value at a path and nothing else of the text; undefined removes it. */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: FORMATTING }))
}

/** Inserts an element into a list. */
export function withElement(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: FORMATTING, isArrayInsertion: true }))
}

/** Where a value is; null where there is none. */
export function rangeAt(text: string, path: JSONPath): Range | null {
  const tree = treeOf(text)
  const node = tree === null ? undefined : findNodeAtLocation(tree, path)
  return node === undefined ? null : { from: node.offset, to: node.offset + node.length }
}

/** Path of the innermost value at a character. */
export function pathAt(text: string, offset: number): JSONPath {
  return getLocation(text, offset).path
}

/** A JSON pointer (RFC 6901) as path in a tree: whether a part is an index depends on the value it is in. */
export function pathOf(tree: Node | null, pointer: string): JSONPath {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  let node: Node | undefined = tree ?? undefined
  return parts.map((part) => {
    const step = node?.type === 'array' ? Number(part) : part
    node = node === undefined ? undefined : findNodeAtLocation(node, [step])
    return step
  })
}

/** Where a problem is: the value it names, the nearest value around it that exists, or its line. */
export function rangeOfProblem(text: string, { pointer, line, column }: Problem): Range {
  const tree = treeOf(text)
  const path = pathOf(tree, pointer)
  for (let length = path.length; tree !== null && length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node !== undefined) return { from: node.offset, to: node.offset + node.length }
  }
  if (line === undefined) return { from: 0, to: Math.min(1, text.length) }
  const start = text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, one) => sum + one.length + 1, 0)
  const from = Math.min(text.length, start + (column ?? 1) - 1)
  return { from, to: Math.min(text.length, from + 1) }
}

/** The line of a problem, counted from 1. */
export function lineOfProblem(text: string, problem: Problem): number {
  return problem.line ?? text.slice(0, rangeOfProblem(text, problem).from).split('\n').length
}
