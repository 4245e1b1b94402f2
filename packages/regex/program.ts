import { type Assertion, type ParsedRegex, type RegexNode, type Repeat, some, widthOf } from './ast.ts'
import { tester } from './char-set.ts'
import { RegexSyntaxError } from './errors.ts'
import type { Fold } from './reader.ts'

/** An instruction of the machine; `next` and `other` are indexes of instructions, `state` numbers the memoized ones. */
export type Instruction =
  | { readonly op: 'test'; readonly has: (unit: number) => boolean }
  | { readonly op: 'split'; first: number; second: number; readonly state: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'assert'; readonly kind: Assertion }
  | { readonly op: 'reference'; readonly index: number; readonly fold: Fold }
  | { readonly op: 'progress'; readonly slot: number }
  | Enclosed
  | { readonly op: 'done' }

/** A part that is matched separately: a look-around or an atomic group; from the next instruction to its `done`. */
export interface Enclosed {
  readonly op: 'ahead' | 'behind' | 'atomic'
  readonly negative: boolean
  readonly least: number
  readonly most: number
  readonly state: number
  after: number
}

/** A pattern compiled for the machine. */
export interface Program {
  readonly code: readonly Instruction[]
  readonly slots: number
  readonly states: number
  /** Whether a visited pair of state and position fails again, so that it can be memoized; false with back references. */
  readonly memorable: boolean
  readonly anchored: boolean
}

const maxInstructions = 20_000

export function compileProgram(parsed: ParsedRegex): Program {
  const memorable = !some(parsed.root, (node) => node.type === 'backreference')
  const builder = new Builder(parsed.groupCount, memorable)
  builder.add(parsed.root)
  builder.push({ op: 'done' })
  const { code, slots, states } = builder
  return { code, slots, states, memorable, anchored: startsAnchored(parsed.root) }
}

function startsAnchored(node: RegexNode): boolean {
  if (node.type === 'assertion') return node.kind === 'start'
  if (node.type === 'sequence') return node.items[0] !== undefined && startsAnchored(node.items[0])
  if (node.type === 'choice') return node.options.every(startsAnchored)
  return node.type === 'group' && startsAnchored(node.item)
}

class Builder {
  readonly code: Instruction[] = []
  readonly #memorable: boolean
  slots: number
  states = 0

  constructor(groups: number, memorable: boolean) {
    this.slots = groups * 2 + 2
    this.#memorable = memorable
  }

  push(instruction: Instruction): number {
    if (this.code.length >= maxInstructions) {
      throw new RegexSyntaxError('the counts in this pattern make it too large; use smaller ones', 0)
    }
    return this.code.push(instruction) - 1
  }

  add(node: RegexNode): void {
    switch (node.type) {
      case 'set':
        this.push({ op: 'test', has: tester(node.set) })
        break
      case 'sequence':
        for (const item of node.items) this.add(item)
        break
      case 'choice':
        this.#choice(node.options)
        break
      case 'repeat':
        this.#repeat(node)
        break
      case 'group':
        this.push({ op: 'save', slot: node.index * 2 })
        this.add(node.item)
        this.push({ op: 'save', slot: node.index * 2 + 1 })
        break
      case 'atomic':
        this.#enclosed('atomic', false, node.item)
        break
      case 'look':
        this.#enclosed(node.direction, node.negative, node.item)
        break
      case 'backreference':
        this.push({ op: 'reference', index: node.index, fold: node.fold })
        break
      case 'assertion':
        this.push({ op: 'assert', kind: node.kind })
    }
  }

  #split(): Instruction & { op: 'split' } {
    const split: Instruction & { op: 'split' } = { op: 'split', first: 0, second: 0, state: this.states++ }
    this.push(split)
    return split
  }

  #choice(options: readonly RegexNode[]): void {
    const exits: { to: number }[] = []
    for (const [index, option] of options.entries()) {
      if (index === options.length - 1) {
        this.add(option)
        break
      }
      const split = this.#split()
      split.first = this.code.length
      this.add(option)
      const exit = { op: 'jump' as const, to: 0 }
      this.push(exit)
      exits.push(exit)
      split.second = this.code.length
    }
    for (const exit of exits) exit.to = this.code.length
  }

  #repeat(node: Repeat): void {
    for (let count = 0; count < node.minimum; count += 1) this.add(node.item)
    if (!Number.isFinite(node.maximum)) {
      this.#loop(node)
      return
    }
    const splits: (Instruction & { op: 'split' })[] = []
    for (let count = node.minimum; count < node.maximum; count += 1) {
      splits.push(this.#split())
      this.#enter(splits.at(-1)!, node)
      this.add(node.item)
    }
    for (const split of splits) this.#leave(split, node)
  }

  #loop(node: Repeat): void {
    const head = this.code.length
    const split = this.#split()
    this.#enter(split, node)
    // Memoization ends an empty loop; without it the loop has to check that it advances.
    const slot = !this.#memorable && widthOf(node.item)[0] === 0 ? this.slots++ : null
    if (slot !== null) this.push({ op: 'save', slot })
    this.add(node.item)
    if (slot !== null) this.push({ op: 'progress', slot })
    this.push({ op: 'jump', to: head })
    this.#leave(split, node)
  }

  #enter(split: Instruction & { op: 'split' }, node: Repeat): void {
    if (node.mode === 'greedy') split.first = this.code.length
    else split.second = this.code.length
  }

  #leave(split: Instruction & { op: 'split' }, node: Repeat): void {
    if (node.mode === 'greedy') split.second = this.code.length
    else split.first = this.code.length
  }

  #enclosed(op: Enclosed['op'], negative: boolean, item: RegexNode): void {
    const [least, most] = widthOf(item)
    const enclosed: Enclosed = { op, negative, least, most, state: this.states++, after: 0 }
    this.push(enclosed)
    this.add(item)
    this.push({ op: 'done' })
    enclosed.after = this.code.length
  }
}
