// Compiled code: functions from a frame to a value.

import { after, type Maybe, PENDING } from '../runtime/pending.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { GroovyObject, type Value } from '../values/value.ts'

/** The variables of one call. A variable that a closure shares is a Reference. */
export type Frame = unknown[]

/** `this`. */
export const SELF = 0
/** The closure that is running, or null. */
export const CLOSURE = 1
/** The value of a `return` statement. */
export const RESULT = 2
/** The first variable. */
export const FIRST_SLOT = 3

/** A compiled expression; may return PENDING. */
export type Node = (frame: Frame) => Maybe

/** A compiled statement: null after completion, a Jump for `return`, `break` and `continue`, or PENDING. */
export type Exec = (frame: Frame) => Maybe

/** Target of `return`, `break` or `continue`. */
export class Jump extends GroovyObject {
  readonly to: 'return' | 'break' | 'continue'
  readonly label: string | null

  constructor(to: Jump['to'], label: string | null = null) {
    super()
    this.to = to
    this.label = label
  }

  get klass(): ClassInfo {
    throw new TypeError('a jump was used as a value')
  }
}

export const RETURN = new Jump('return')

/** Applies a function to the value of a node. */
export function apply1(first: Node, operation: (a: Value) => Maybe): Node {
  return (frame) => {
    const a = first(frame)
    return a === PENDING ? after(operation) : operation(a)
  }
}

/** Applies a function to the values of two nodes. */
export function apply2(first: Node, second: Node, operation: (a: Value, b: Value) => Maybe): Node {
  return (frame) => {
    const a = first(frame)
    if (a === PENDING) return after((late) => second2(frame, late, second, operation))
    const b = second(frame)
    return b === PENDING ? after((late) => operation(a, late)) : operation(a, b)
  }
}

function second2(frame: Frame, a: Value, second: Node, operation: (a: Value, b: Value) => Maybe): Maybe {
  const b = second(frame)
  return b === PENDING ? after((late) => operation(a, late)) : operation(a, b)
}

/** Collects the values of nodes in an array and applies a function to it. */
export function applyAll(nodes: readonly Node[], operation: (values: Value[], frame: Frame) => Maybe): Node {
  const count = nodes.length
  if (count === 0) return (frame) => operation([], frame)
  const [first, second] = nodes as [Node, Node]
  if (count === 1) {
    return (frame) => {
      const a = first(frame)
      return a === PENDING ? after((late) => operation([late], frame)) : operation([a], frame)
    }
  }
  if (count === 2) {
    return (frame) => {
      const a = first(frame)
      if (a === PENDING) return collect(nodes, [], 0, frame, operation)
      const b = second(frame)
      if (b === PENDING) return collect(nodes, [a], 1, frame, operation)
      return operation([a, b], frame)
    }
  }
  return (frame) => {
    const values: Value[] = []
    for (let index = 0; index < count; index++) {
      const value = (nodes[index] as Node)(frame)
      if (value === PENDING) return collect(nodes, values, index, frame, operation)
      values.push(value)
    }
    return operation(values, frame)
  }
}

/** Continues with the values of nodes after the pending one at `index`. */
function collect(
  nodes: readonly Node[],
  before: readonly Value[],
  index: number,
  frame: Frame,
  operation: (values: Value[], frame: Frame) => Maybe,
): Maybe {
  return after((late) => {
    const values = [...before, late]
    for (let next = index + 1; next < nodes.length; next++) {
      const value = (nodes[next] as Node)(frame)
      if (value === PENDING) return collect(nodes, values, next, frame, operation)
      values.push(value)
    }
    return operation(values, frame)
  })
}
