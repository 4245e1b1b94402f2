// Limits of an evaluation: time, call depth, sizes. Counters of the running evaluation are variables of this module, since a
// thread runs one script at a time and every loop iteration and call is counted. Calls of library methods are charged by
// `registry/charged.ts`.

/** Limits of one evaluation. */
export interface Limits {
  /** Maximum time that it runs, in milliseconds; the time that it waits is not counted. */
  readonly timeout: number
  /** Maximum depth of nested calls. */
  readonly maxDepth: number
  /** Maximum characters of one string. */
  readonly maxStringLength: number
  /** Maximum elements of one collection or array. */
  readonly maxCollectionSize: number
  /** Maximum total of characters and elements that copying operations create. */
  readonly maxAllocation: number
}

export const DEFAULT_LIMITS: Limits = {
  timeout: 1_000,
  maxDepth: 512,
  maxStringLength: 10_000_000,
  maxCollectionSize: 1_000_000,
  maxAllocation: 100_000_000,
}

/** A location in a script. */
export interface ScriptLocation {
  readonly file: string
  readonly line: number
  readonly column: number
}

type LimitName = 'time' | 'depth' | 'string' | 'collection' | 'allocation' | 'number' | 'regex'

/** An evaluation exceeded a limit. Scripts can not catch it, and their `finally` blocks do not run. */
export class GroovyLimitError extends Error {
  override readonly name = 'GroovyLimitError'
  readonly limit: LimitName
  location: ScriptLocation | null = null

  constructor(limit: LimitName, message: string) {
    super(message)
    this.limit = limit
  }
}

/** Steps between two reads of the clock. */
const SLICE = 1_000

/** For values that a host creates while no script runs. */
const UNLIMITED: Limits = {
  timeout: Number.POSITIVE_INFINITY,
  maxDepth: Number.POSITIVE_INFINITY,
  maxStringLength: Number.POSITIVE_INFINITY,
  maxCollectionSize: Number.POSITIVE_INFINITY,
  maxAllocation: Number.POSITIVE_INFINITY,
}

let limits: Limits = UNLIMITED
let fuel = SLICE
let depth = 0
let allocated = 0
/** Characters of all texts that were created, those included that share their parts with others. */
let written = 0
/** Start of the evaluation, without the time that it waited; 0 until its first slice is used up. */
let started = 0

/** What an evaluation has used in its synchronous runs so far: a pause does not renew its limits. */
export class Usage {
  fuel = SLICE
  allocated = 0
  /** Milliseconds; 0 until the first slice is used up. */
  elapsed = 0
}

/** Counters of an evaluation while others run. */
interface SavedCounters {
  readonly limits: Limits
  readonly fuel: number
  readonly depth: number
  readonly allocated: number
  readonly started: number
}

/** Starts a synchronous run of an evaluation; returns the state of the interrupted one. */
export function enterRun(next: Limits, usage: Usage): SavedCounters {
  const saved = { limits, fuel, depth, allocated, started }
  limits = next
  fuel = usage.fuel
  depth = 0
  allocated = usage.allocated
  started = usage.elapsed === 0 ? 0 : performance.now() - usage.elapsed
  return saved
}

/** Ends a synchronous run. */
export function leaveRun(saved: SavedCounters, usage: Usage): void {
  usage.fuel = fuel
  usage.allocated = allocated
  if (started !== 0) usage.elapsed = performance.now() - started
  limits = saved.limits
  fuel = saved.fuel
  depth = saved.depth
  allocated = saved.allocated
  started = saved.started
}

/** Counts one loop iteration or one call. */
export function tick(): void {
  fuel -= 1
  if (fuel <= 0) checkTime()
}

function checkTime(): void {
  fuel = SLICE
  const now = performance.now()
  if (started === 0) started = now
  else if (now - started > limits.timeout) {
    throw new GroovyLimitError('time', `it ran ${limits.timeout} ms, pauses not counted`)
  }
}

/** Counts a call; every enterCall is followed by leaveCall, or by restoreDepth where a script catches. */
export function enterCall(): void {
  tick()
  depth += 1
  if (depth > limits.maxDepth) throw depthError(limits.maxDepth)
}

export function leaveCall(): void {
  depth -= 1
}

export function callDepth(): number {
  return depth
}

export function restoreDepth(before: number): void {
  depth = before
}

export function depthError(calls: number): GroovyLimitError {
  return new GroovyLimitError('depth', `more than ${calls} nested calls`)
}

/** Counts a string created by `+`, or a part of one. It shares its characters, so that only a part of its length counts. */
export function boundedText(text: string): string {
  if (text.length > SMALL) {
    checkLength(text.length)
    written += text.length
    allocate(text.length >> 4)
  }
  return text
}

/** Short strings are not counted: the loop that creates many of them is. */
export const SMALL = 512

/** Called before a string of that length is created. */
export function checkText(length: number): void {
  if (length <= SMALL) return
  checkLength(length)
  written += length
  allocate(length)
}

/** The characters of all texts that were counted so far. */
export function writtenText(): number {
  return written
}

/** Called when a string that is built in steps has reached that length. */
export function checkLength(length: number): void {
  if (length > limits.maxStringLength) {
    throw new GroovyLimitError('string', `a string of ${length} characters; at most ${limits.maxStringLength}`)
  }
}

/** Called before a collection grows to that size. */
export function checkSize(size: number): void {
  if (size > limits.maxCollectionSize) {
    throw new GroovyLimitError('collection', `a collection of ${size} elements; at most ${limits.maxCollectionSize}`)
  }
}

/** Counts work on characters or elements, for operations that are slow on large values. */
export function spend(count: number): void {
  fuel -= (count >> 5) + 1
  if (fuel <= 0) checkTime()
}

/** Counts elements or characters that one operation creates. */
export function allocate(count: number): void {
  allocated += count
  fuel -= count >> 5
  if (allocated > limits.maxAllocation) {
    throw new GroovyLimitError('allocation', `more than ${limits.maxAllocation} characters and elements were created`)
  }
  if (fuel <= 0) checkTime()
}

/** What the parts of a collection take, as elements of an array. */
const COLLECTION = 64
const ADDED = 16

/** What an object takes, as elements of an array. */
const OBJECT = 8

/** Counts a new object, or the fields of one. */
export function allocateObject(fields = 0): void {
  allocate(OBJECT + fields)
}

/** Counts a new collection with that many elements. */
export function allocateCollection(size: number): void {
  allocate(COLLECTION + size)
}

/** Counts elements that a collection grows by, which may be new objects. */
export function allocateGrowth(count: number): void {
  allocate(count * ADDED)
}

/** Checks the size of a copy and counts it. */
export function checkCopy(size: number): void {
  checkSize(size)
  allocate(size)
}

/** Maximum size of an integer, in bits. */
const MAX_BITS = 200_000

const SMALL_INTEGER = 2n ** 64n

/** The number of bits of an integer; 0 for one of up to 64 bits, which costs nothing. */
export function bitsOf(number: bigint): number {
  return number > -SMALL_INTEGER && number < SMALL_INTEGER ? 0 : number.toString(16).length * 4
}

export function checkBits(bits: number): void {
  if (bits > MAX_BITS) throw new GroovyLimitError('number', `a number of more than ${MAX_BITS} bits`)
  allocate(bits >> 4)
}
