import { constants, createContext, Script } from 'node:vm'
import type { Scope } from '#expression'
import { type EvaluationPort, hostEvaluations } from './evaluation-port.ts'
import { Handle } from './handle.ts'
import { disableHostConstructors } from './host-constructors.ts'
import {
  FAILED,
  failureCause,
  failureMessage,
  type HostFunction,
  type HostTable,
  hostFunction,
} from './host-function.ts'
import { hostMessages } from './host-messages.ts'
import { hostValues } from './host-values.ts'
import type { RealmProgram } from './program.ts'
import { realmBridge } from './realm/bridge.ts'
import { limitClasses } from './realm/classes.ts'
import { type RealmEvaluations, realmEvaluations, type ScriptFunction, type SettleCall } from './realm/evaluations.ts'
import { realmForms } from './realm/forms.ts'
import { realmHeaders } from './realm/header-fields.ts'
import { limitLists } from './realm/lists.ts'
import { realmMessages } from './realm/messages.ts'
import { realmMethods } from './realm/methods.ts'
import { realmNumbers } from './realm/numbers.ts'
import { realmSecrets } from './realm/secrets.ts'
import { realmSizes } from './realm/sizes.ts'
import { lockStacks } from './realm/stacks.ts'
import { realmStatuses } from './realm/statuses.ts'
import { limitStrings } from './realm/strings.ts'
import { limitTexts } from './realm/texts.ts'
import { realmValues } from './realm/values.ts'

/**
 * Removed globals: those that would call a script outside of its watchdog or block on another thread, and a console without
 * output.
 */
const ABSENT = ['FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'ShadowRealm', 'console']

/** The largest values of functions of V8, with which each call takes less than a second. */
const SIZES = {
  // As in expressions.
  text: 2 ** 24,
  json: 2 ** 25,
  search: 2 ** 29,
  conversion: 2 ** 20,
  pattern: 2 ** 14,
  list: 2 ** 22,
  keys: 2 ** 19,
  formatted: 2 ** 12,
  bytes: 2 ** 26,
} as const

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** The functions of a table as host functions. */
const hostFunctions = (table: Functions): [string, HostFunction][] =>
  Object.entries(table).map(([name, action]) => [name, hostFunction(action)])

const VALUES = hostFunctions(hostValues)
const MESSAGES = hostFunctions(hostMessages)
const EVALUATIONS = hostFunctions(hostEvaluations)

const settleMicrotasks = new Script('0', { filename: 'realm' })

/** A V8 context for the scripts of one object: separate built-in objects, prototypes and microtask queue. */
export class Realm {
  // A separate microtask queue: code after an `await` runs only in `settle`, and so under the watchdog.
  readonly #context = createContext(constants.DONT_CONTEXTIFY, {
    name: 'script',
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  readonly #prepared = new WeakMap<RealmProgram, (port: Handle) => SettleCall>()
  readonly #evaluations: RealmEvaluations

  /** The scope holds the properties that scripts may name. */
  constructor(scope: Scope) {
    disableHostConstructors()
    for (const name of ABSENT) Reflect.deleteProperty(this.#context, name)
    this.#inside(lockStacks)()
    const sizes = this.#inside(realmSizes)(SIZES)
    const replaceMethod = this.#inside(realmMethods)()
    this.#inside(limitTexts)(replaceMethod, sizes)
    const bridge = this.#inside(realmBridge)(FAILED, failureMessage, failureCause)
    const wrapped = <T>(table: readonly [string, HostFunction][]): HostTable<T> =>
      Object.fromEntries(table.map(([name, action]) => [name, bridge.wrap(action)])) as HostTable<T>
    const data = wrapped<typeof hostValues>(VALUES)
    const host = wrapped<typeof hostMessages>(MESSAGES)
    const port = wrapped<typeof hostEvaluations>(EVALUATIONS)
    const lookup = bridge.wrap(hostFunction((name: string) => scope.lookup(name)))
    const numbers = this.#inside(realmNumbers)(sizes)
    const values = this.#inside(realmValues)(data, numbers)
    const { Status } = this.#inside(realmStatuses)(host)
    const headers = this.#inside(realmHeaders)(values, host)
    const messages = this.#inside(realmMessages)(values, numbers, headers, data, host, Status)
    const forms = this.#inside(realmForms)(values, host)
    const secrets = this.#inside(realmSecrets)(values, port)
    this.#evaluations = this.#inside(realmEvaluations)(bridge, values, data, port, messages, forms, secrets, lookup)
    for (const [name, value] of Object.entries({ ...messages.classes, ...forms.classes, Status })) {
      Object.defineProperty(this.#context, name, { value, writable: true, configurable: true, enumerable: false })
    }
    // After the functions of the gateway, which have smaller values.
    for (const limit of [limitStrings, limitLists, limitClasses]) this.#inside(limit)(replaceMethod, sizes)
  }

  /** Identifies the promises of this realm. */
  get promisePrototype(): object {
    return (this.#context as { Promise: { prototype: object } }).Promise.prototype
  }

  /** Starts an evaluation, and returns the function that settles its calls. Must run under a guard, as all methods below. */
  start(program: RealmProgram, port: EvaluationPort): SettleCall {
    let begin = this.#prepared.get(program)
    if (begin === undefined) {
      const script = program.script.runInContext(this.#context) as ScriptFunction
      begin = this.#evaluations.prepare(script, new Handle(program.bindings))
      this.#prepared.set(program, begin)
    }
    const answer = begin(new Handle(port))
    this.settle()
    return answer
  }

  /** Runs the microtasks of settled promises. */
  settle(): void {
    settleMicrotasks.runInContext(this.#context)
  }

  describe(error: unknown): string {
    return this.#evaluations.describe(error)
  }

  /** Compiles the text of a function in this realm: it can use its parameters and the language only. */
  #inside<F extends (...args: never[]) => unknown>(build: F): F {
    return new Script(`'use strict';(${build})`, { filename: `realm/${build.name}` }).runInContext(this.#context) as F
  }
}
