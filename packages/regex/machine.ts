import { tester } from './char-set.ts'
import { MatchError } from './errors.ts'
import { equalsInAnyCase, equalsInAsciiCase } from './letter-case.ts'
import { lineTerminators, wordCharacters } from './named-sets.ts'
import type { Enclosed, Instruction, Program } from './program.ts'

/** Maximum steps of one search; a few tens of milliseconds. */
const maxSteps = 1_500_000
const maxRememberedBits = 64 * 1024 * 1024
/** Cost of a step with a hash set, relative to one with a bit set. */
const hashedStepCost = 8
/** Cost of starting an enclosed part. */
const enclosedCost = 24
/** Cost of each further length that a look-behind tries. */
const behindCost = 16

const SAME = { ascii: equalsInAsciiCase, unicode: equalsInAnyCase } as const
const isWord = tester(wordCharacters)
const isTerminator = tester(lineTerminators)
const fail = -1

/** Set of visited pairs of state and position; returns whether a pair was already visited. */
interface Memory {
  readonly cost: number
  seen(state: number, position: number): boolean
}

/**
 * Runs a program by backtracking with memoization: a visited pair of state and position is not tried again, which makes the
 * time linear in the subject. Back references and repeated look-arounds are not covered and end with an error after `maxSteps`.
 */
export class Machine {
  readonly #program: Program
  readonly #subject: string
  readonly #whole: boolean
  #slots: number[]
  #steps = 0

  constructor(program: Program, subject: string, extent: 'part' | 'whole') {
    this.#program = program
    this.#subject = subject
    this.#whole = extent === 'whole'
    this.#slots = new Array<number>(program.slots).fill(fail)
  }

  /** The first match at or after `from`: start and end of each group, or null. */
  search(from: number): readonly number[] | null {
    const memory = this.#mainMemory()
    const last = this.#whole || this.#program.anchored ? 0 : this.#subject.length
    for (let start = from; start <= last; start += 1) {
      this.#slots.fill(fail)
      const end = this.#run(0, start, memory, this.#whole ? this.#subject.length : null)
      if (end === fail) continue
      this.#slots[0] = start
      this.#slots[1] = end
      return this.#slots
    }
    return null
  }

  #mainMemory(): Memory | null {
    const { memorable, states } = this.#program
    if (!memorable) return null
    const width = this.#subject.length + 1
    if (states * width > maxRememberedBits) return hashed(width)
    const bits = new Uint32Array(Math.ceil((states * width) / 32))
    return {
      cost: 1,
      seen: (state, position) => {
        const index = state * width + position
        const word = index >>> 5
        const bit = 1 << (index & 31)
        if ((bits[word]! & bit) !== 0) return true
        bits[word]! |= bit
        return false
      },
    }
  }

  /** Runs from one instruction to its `done`, at the position `end` where given. */
  #run(entry: number, start: number, memory: Memory | null, end: number | null): number {
    const { code } = this.#program
    // Backtracking stack of pairs: an instruction and a position, or a slot (as -1 - slot) and its former value.
    const pending: number[] = []
    let at = entry
    let position = start
    for (;;) {
      this.#count(1)
      const instruction = code[at]!
      let going = true
      switch (instruction.op) {
        case 'test':
          going = position < this.#subject.length && instruction.has(this.#subject.charCodeAt(position))
          position += 1
          at += 1
          break
        case 'jump':
          at = instruction.to
          break
        case 'split':
          going = !this.#seen(memory, instruction.state, position)
          if (going) pending.push(instruction.second, position)
          at = instruction.first
          break
        case 'save':
          this.#count(1)
          pending.push(-1 - instruction.slot, this.#slots[instruction.slot]!)
          this.#slots[instruction.slot] = position
          at += 1
          break
        case 'progress':
          going = this.#slots[instruction.slot] !== position
          at += 1
          break
        case 'assert':
          going = this.#holds(instruction.kind, position)
          at += 1
          break
        case 'reference':
          position = this.#repeated(instruction, position)
          going = position !== fail
          at += 1
          break
        case 'done':
          if (end === null || end === position) return position
          going = false
          break
        default: {
          const seen = this.#seen(memory, instruction.state, position)
          const reached = seen ? fail : this.#enclosed(instruction, at + 1, position, pending)
          going = reached !== fail
          position = reached
          at = instruction.after
        }
      }
      if (going) continue
      for (;;) {
        const value = pending.pop()
        const target = pending.pop()
        if (value === undefined || target === undefined) return fail
        if (target >= 0) {
          at = target
          position = value
          break
        }
        this.#slots[-1 - target] = value
      }
    }
  }

  #seen(memory: Memory | null, state: number, position: number): boolean {
    if (memory === null) return false
    if (memory.cost > 1) this.#count(memory.cost)
    return memory.seen(state, position)
  }

  #enclosed(enclosed: Enclosed, entry: number, position: number, pending: number[]): number {
    const before = [...this.#slots]
    this.#count(enclosedCost + before.length)
    const reached =
      enclosed.op === 'behind' ? this.#behind(enclosed, entry, position) : this.#alone(entry, position, null)
    const matched = reached !== fail
    if (!matched || enclosed.negative) this.#slots = before
    if (matched === enclosed.negative) return fail
    for (const [slot, old] of before.entries()) if (this.#slots[slot] !== old) pending.push(-1 - slot, old)
    return enclosed.op === 'atomic' ? reached : position
  }

  #behind({ least, most }: Enclosed, entry: number, position: number): number {
    for (let length = least; length <= Math.min(most, position); length += 1) {
      this.#count(behindCost)
      if (this.#alone(entry, position - length, position) !== fail) return position
    }
    return fail
  }

  #alone(entry: number, position: number, end: number | null): number {
    const memory = this.#program.memorable ? hashed(this.#subject.length + 1) : null
    return this.#run(entry, position, memory, end)
  }

  #count(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) throw new MatchError('a regular expression took too many steps on this text')
  }

  #repeated({ index, fold }: Instruction & { op: 'reference' }, position: number): number {
    const [from, to] = [this.#slots[index * 2]!, this.#slots[index * 2 + 1]!]
    if (from === fail || to === fail) return fail
    // Case folding takes several times as long as comparing.
    this.#count((to - from) >> (fold === null ? 3 : 1))
    const wanted = this.#subject.slice(from, to)
    const found = this.#subject.slice(position, position + wanted.length)
    const same = fold === null ? found === wanted : SAME[fold](found, wanted)
    return same ? position + wanted.length : fail
  }

  #holds(kind: (Instruction & { op: 'assert' })['kind'], position: number): boolean {
    const text = this.#subject
    const { length } = text
    switch (kind) {
      case 'start':
        return position === 0
      case 'end':
        return position === length
      case 'endOrLastLine':
        return position === length || /^(?:\r\n|[\n\r\u0085\u2028\u2029])$/.test(text.slice(position, position + 3))
      case 'lineStart':
        return position === 0 || isTerminator(text.charCodeAt(position - 1))
      case 'lineEnd':
        return position === length || isTerminator(text.charCodeAt(position))
      case 'boundary':
        return wordAt(text, position - 1) !== wordAt(text, position)
      case 'notBoundary':
        return wordAt(text, position - 1) === wordAt(text, position)
    }
  }
}

function hashed(width: number): Memory {
  // Most look-arounds end before their first choice, so the set is created on demand.
  let places: Set<number> | null = null
  return {
    cost: hashedStepCost,
    seen: (state, position) => {
      places ??= new Set()
      const before = places.size
      places.add(state * width + position)
      return places.size === before
    },
  }
}

function wordAt(text: string, position: number): boolean {
  return position >= 0 && position < text.length && isWord(text.charCodeAt(position))
}
