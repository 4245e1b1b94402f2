// V8 can not be interrupted in its own functions: none of them may take long, with any value. With FUZZ_RUNS the values are as
// large as the functions accept, and each function has a realm of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptOf } from '#test/evaluate-script'

const AT_LIMITS = process.env['FUZZ_RUNS'] !== undefined
/** Made once: V8 copies its parts together when it is read first. */
const LONGEST = 'x'.repeat(AT_LIMITS ? 1 : 2 ** 29 - 24)
LONGEST.charCodeAt(0)
/** The limit of one call: CPU time, since other tests run at the same time. */
const MAX_MICROS = 1_500_000
const TIMEOUT = 150

/** All functions of a realm, with objects that have them. */
const WALK = `
  const NativeBytes = Uint8Array.prototype.constructor
  const endless = () => Array.prototype.values.call({ length: 2 ** 53 - 1 })
  const instances = {
    Array: [], String: 'x', Number: 1, Boolean: true, Symbol: Symbol('x'), BigInt: 1n, Date: new Date(0), RegExp: /[yz]q/g,
    Promise: Promise.resolve(1), Map: new Map([[1, 1]]), Set: new Set([1]), WeakMap: new WeakMap(), WeakSet: new WeakSet(),
    Function: (x) => x, Error: new Error('x'), ArrayBuffer: new ArrayBuffer(8), DataView: new DataView(new ArrayBuffer(8)),
    Iterator: endless(), 'Intl.Locale': new Intl.Locale('de'), 'Intl.DisplayNames': new Intl.DisplayNames('de', { type: 'region' }),
    'Intl.DateTimeFormat': new Intl.DateTimeFormat('de'), 'Intl.NumberFormat': new Intl.NumberFormat('de'),
    'Intl.Collator': new Intl.Collator('de'), 'Intl.PluralRules': new Intl.PluralRules('de'),
    'Intl.RelativeTimeFormat': new Intl.RelativeTimeFormat('de'), 'Intl.ListFormat': new Intl.ListFormat('de'),
    'Intl.Segmenter': new Intl.Segmenter('de'), 'Intl.DurationFormat': new Intl.DurationFormat('de'),
    'Temporal.PlainDate': Temporal.PlainDate.from('2020-01-01'), 'Temporal.PlainTime': Temporal.PlainTime.from('10:00'),
    'Temporal.PlainDateTime': Temporal.PlainDateTime.from('2020-01-01T10:00'), 'Temporal.Duration': Temporal.Duration.from('PT1S'),
    'Temporal.ZonedDateTime': Temporal.ZonedDateTime.from('2020-01-01T10:00[UTC]'),
    'Temporal.Instant': Temporal.Instant.from('2020-01-01T10:00Z'), 'Temporal.PlainYearMonth': Temporal.PlainYearMonth.from('2020-01'),
    'Temporal.PlainMonthDay': Temporal.PlainMonthDay.from('01-01'), Request: new Request({ uri: 'http://x/' }),
    Response: new Response(200), Form: new Form('a=b'),
  }
  // V8 compares the constructors of these prototypes with its own, to use fast paths: they are reachable, without limits.
  const unlimited = new Set([RegExp.prototype.constructor])
  for (const name of Reflect.ownKeys(globalThis)) {
    if (globalThis[name]?.prototype instanceof NativeBytes.__proto__) unlimited.add(globalThis[name].prototype.constructor)
  }
  const all = [], seen = new Set([globalThis]), queue = []
  const walk = (value, path, self) => queue.push([value, path, self])
  const visit = ([value, path, self]) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return
    seen.add(value)
    if (typeof value === 'function' && !unlimited.has(value)) all.push({ path, value, self })
    for (const key of Reflect.ownKeys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key)
      const name = typeof key === 'symbol' ? '[' + key.description + ']' : key
      const receiver = key === 'prototype' ? (instances[path] ?? self) : path.endsWith('prototype') ? self : value
      for (const part of ['value', 'get', 'set']) walk(own[part], path + '.' + name, receiver)
    }
    walk(Object.getPrototypeOf(value), path + '.__proto__', self)
  }
  for (const [name, value] of Object.entries(instances)) walk(value, name + '()', value)
  for (const name of Reflect.ownKeys(globalThis)) walk(globalThis[name], String(name), undefined)
  const view = new NativeBytes(8)
  const settled = Promise.withResolvers()
  settled.promise.catch(() => {})
  for (const name of ['Int8Array', 'Uint8Array', 'Float64Array', 'BigInt64Array']) walk(globalThis[name].prototype, name + '.prototype', view)
  for (const [name, value] of Object.entries({
    arrayIterator: [].values(), matches: 'x'.matchAll(/x/g), stringIterator: ''[Symbol.iterator](), entries: new Map().entries(),
    setEntries: new Set().entries(), helper: [].values().map((x) => x), wrapped: Iterator.from({ next: () => ({ done: true }) }),
    generator: (function* () {})(), asyncGenerator: (async function* () {})(), asyncFunction: async () => {},
    segments: new Intl.Segmenter().segment('x'), segment: new Intl.Segmenter().segment('x')[Symbol.iterator](),
    compare: new Intl.Collator().compare, formatDate: new Intl.DateTimeFormat().format, formatNumber: new Intl.NumberFormat().format,
    settled, revocable: Proxy.revocable({}, {}),
  })) walk(value, name, value)
  globals.walk = { all, queue, visit, next: 0 }`

/** Each value is made by a function: some calls change it. */
const TOO_LARGE = `
  const bytes = new NativeBytes(2 ** 27), digits = 10n ** 5000n
  const values = [
    () => longest, () => { const list = []; list.length = 2 ** 32 - 1; return list }, () => ({ length: 2 ** 53 - 1 }), () => bytes,
    () => bytes.buffer, () => digits, () => 2 ** 40, endless, () => ({ [Symbol.iterator]: endless }),
    () => ({ size: 2 ** 53 - 1, has: () => true, keys: endless }), () => ({ raw: { length: 2 ** 53 - 1 } }),
  ]`

const LARGEST = `
  const values = []
  for (const each of ['x', 'é', 'x\\u0301', '1', '1:', ' ', '%41', '\\u4e2d'].flatMap((part) =>
    [24, 20, 14, 12].map((size) => part.repeat(2 ** size / part.length)))) values.push(() => each)
  for (const size of [22, 19, 12]) {
    for (const element of [(at) => at / 3, (at) => 'x' + at, () => null, () => ['x'], () => ({})]) {
      let list
      values.push(() => (list ??= Array.from({ length: 2 ** size }, (_each, at) => element(at))).slice())
    }
    values.push(() => ({ length: 2 ** size }), () => { const list = []; list.length = 2 ** size; return list }, () => 2 ** size)
    values.push(() => new NativeBytes(2 ** size), () => new Float64Array(2 ** size / 2).map((_each, at) => at * 1.37 % 1))
  }
  values.push(() => new NativeBytes(2 ** 26), () => new ArrayBuffer(2 ** 26), () => 10n ** 4095n)
  values.push(() => new Set(Array.from({ length: 2 ** 19 }, (_each, at) => at)))`

/** Sets up a realm, then makes the calls of a function from `from` to `to`: every value as receiver and as each argument. */
const SCRIPT = `
  if (globals.namespaces === undefined) {
    globals.namespaces = typeof Intl + typeof Temporal
    return null
  }
  if (globals.walk === undefined) {
    ${WALK}
    return null
  }
  if (globals.functions === undefined) {
    const { all, queue, visit } = globals.walk
    for (const end = Date.now() + 50; globals.walk.next < queue.length && Date.now() < end; ) visit(queue[globals.walk.next++])
    if (globals.walk.next === queue.length) globals.functions = all
    return null
  }
  const NativeBytes = Uint8Array.prototype.constructor
  if (globals.values === undefined) {
    const endless = () => Array.prototype.values.call({ length: 2 ** 53 - 1 })
    ${AT_LIMITS ? LARGEST : TOO_LARGE}
    globals.values = values
    return { paths: globals.functions.map(({ path }) => path), calls: values.length * 8 }
  }
  const { functions, values } = globals
  const { value, self } = functions[index]
  const act = (value) => value
  for (let at = from; at < to; at += 1) {
    const large = values[Math.floor(at / 8)]()
    const form = at % 8
    try {
      const result =
        form === 0 ? Reflect.apply(value, large, []) : form === 1 ? Reflect.apply(value, large, [large, large])
        : form === 2 ? Reflect.apply(value, large, [act]) : form === 3 ? Reflect.apply(value, self, [large])
        : form === 4 ? Reflect.apply(value, self, ['x', large]) : form === 5 ? Reflect.apply(value, self, [large, act])
        : form === 6 ? Reflect.apply(value, self, [act, self, large]) : Reflect.construct(value, [large])
      if (result instanceof Promise) result.catch(() => {})
      if (typeof result?.next === 'function') result.next()
    } catch {}
  }`

/** A realm in which functions are called. */
class CalledRealm {
  readonly #control = { index: 0, from: 0, to: 0, longest: LONGEST }
  readonly #script = scriptOf(SCRIPT, { values: this.#control, timeout: TIMEOUT, deadline: 600_000 })
  paths: readonly string[] = []
  calls = 0

  async open(): Promise<this> {
    // On a busy machine a step may take longer than the limit.
    for (let steps = 0; steps < 1_000; steps += 1) {
      const state = await this.#script.evaluate().catch(() => null)
      if (state !== null) return Object.assign(this, state)
    }
    throw new Error('the functions and values were not listed in time')
  }

  /** Whether the calls ended in time, or were stopped, and their CPU time in microseconds. */
  async call(index: number, from: number, to: number): Promise<{ isStopped: boolean; micros: number }> {
    Object.assign(this.#control, { index, from, to })
    const before = process.threadCpuUsage()
    const isStopped = await this.#script.evaluate().then(
      () => false,
      () => true,
    )
    const { user, system } = process.threadCpuUsage(before)
    return { isStopped, micros: user + system }
  }
}

/** With random values as many functions as fit into the time, from one that the seed chooses. */
const budget = AT_LIMITS ? 400_000 : Infinity

test('no function of V8 takes long with any value', { timeout: 600_000 }, async () => {
  let realm = await new CalledRealm().open()
  const { paths, calls } = realm
  assert.ok(paths.length > 900, `${paths.length} functions were found`)
  const first = Number(process.env['FUZZ_SEED'] ?? 0)
  const end = performance.now() + budget
  const slow: string[] = []
  for (let count = 0; count < paths.length && performance.now() < end; count += 1) {
    const index = (first + count) % paths.length
    if (AT_LIMITS) realm = await new CalledRealm().open()
    else if (!(await realm.call(index, 0, calls)).isStopped) continue
    else realm = await new CalledRealm().open()
    for (let at = 0; at < calls; at += 1) {
      let { isStopped, micros } = await realm.call(index, at, at + 1)
      if (isStopped) realm = await new CalledRealm().open()
      // Again, since the value was made in this call, and its memory comes from the system.
      if (micros > MAX_MICROS) micros = (await realm.call(index, at, at + 1)).micros
      if (micros > MAX_MICROS)
        slow.push(`${paths[index]} with value ${at >> 3} in form ${at % 8}: ${micros / 1_000} ms`)
      // The others are the same, and each takes the whole limit.
      if (isStopped && !AT_LIMITS) break
    }
  }
  assert.deepEqual(slow, [])
})
