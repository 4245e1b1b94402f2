import { constants, createContext, Script } from 'node:vm'
import type { Scope } from '#expression'
import { type Crossed, type Crossing, crossing, FAILED, failureCause, failureMessage } from './crossing.ts'
import { type EvaluationPort, hostEvaluations } from './evaluation-port.ts'
import { Handle } from './handle.ts'
import { tameHostConstructors } from './host-constructors.ts'
import { hostMessages } from './host-messages.ts'
import { hostValues } from './host-values.ts'
import type { RealmProgram } from './program.ts'
import { realmBridge } from './realm/bridge.ts'
import { type Answer, type RealmEvaluations, realmEvaluations, type ScriptFunction } from './realm/evaluations.ts'
import { realmForms } from './realm/forms.ts'
import { realmHeaders } from './realm/header-fields.ts'
import { realmMessages } from './realm/messages.ts'
import { realmNumbers } from './realm/numbers.ts'
import { lockStacks } from './realm/stacks.ts'
import { realmStatuses } from './realm/statuses.ts'
import { realmValues } from './realm/values.ts'

/**
 * What the language has and scripts do not: what would call a script outside of its watchdog, what waits for another thread,
 * and a console that writes nowhere.
 */
const ABSENT = ['FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'ShadowRealm', 'console']

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** The functions of a table, each as a realm can call it. */
const crossings = (table: Functions): [string, Crossing][] =>
  Object.entries(table).map(([name, action]) => [name, crossing(action)])

const VALUES = crossings(hostValues)
const MESSAGES = crossings(hostMessages)
const EVALUATIONS = crossings(hostEvaluations)

const settleMicrotasks = new Script('0', { filename: 'realm' })

/** A world of its own for the scripts of one object: own built-in objects, own prototypes, own queue of promises. */
export class Realm {
  // A queue of its own: what follows an `await` runs when this class says so, and so under the guard's watch.
  readonly #context = createContext(constants.DONT_CONTEXTIFY, {
    name: 'script',
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  readonly #prepared = new WeakMap<RealmProgram, (port: Handle) => Answer>()
  readonly #evaluations: RealmEvaluations

  /** The scope holds the properties that scripts may name. */
  constructor(scope: Scope) {
    tameHostConstructors()
    for (const name of ABSENT) Reflect.deleteProperty(this.#context, name)
    this.#inside(lockStacks)()
    const bridge = this.#inside(realmBridge)(FAILED, failureMessage, failureCause)
    const wrapped = <T>(table: readonly [string, Crossing][]): Crossed<T> =>
      Object.fromEntries(table.map(([name, action]) => [name, bridge.wrap(action)])) as Crossed<T>
    const data = wrapped<typeof hostValues>(VALUES)
    const host = wrapped<typeof hostMessages>(MESSAGES)
    const port = wrapped<typeof hostEvaluations>(EVALUATIONS)
    const lookup = bridge.wrap(crossing((name: string) => scope.lookup(name)))
    const numbers = this.#inside(realmNumbers)()
    const values = this.#inside(realmValues)(data, numbers)
    const { Status } = this.#inside(realmStatuses)(host)
    const headers = this.#inside(realmHeaders)(values, host)
    const messages = this.#inside(realmMessages)(values, numbers, headers, data, host, Status)
    const forms = this.#inside(realmForms)(values, host)
    this.#evaluations = this.#inside(realmEvaluations)(bridge, values, data, port, messages, forms, lookup)
    for (const [name, value] of Object.entries({ ...messages.classes, ...forms.classes, Status })) {
      Object.defineProperty(this.#context, name, { value, writable: true, configurable: true, enumerable: false })
    }
  }

  /** What tells the promises of this realm from those of others. */
  get promisePrototype(): object {
    return (this.#context as { Promise: { prototype: object } }).Promise.prototype
  }

  /** Begins an evaluation, and returns the way for answers to its questions. To be called under a guard, as everything below. */
  start(program: RealmProgram, port: EvaluationPort): Answer {
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

  /** Runs what waits for promises that have been settled. */
  settle(): void {
    settleMicrotasks.runInContext(this.#context)
  }

  describe(error: unknown): string {
    return this.#evaluations.describe(error)
  }

  /** A function as one of this realm, made from its text: it sees its parameters and the language, nothing else. */
  #inside<F extends (...args: never[]) => unknown>(build: F): F {
    return new Script(`'use strict';(${build})`, { filename: `realm/${build.name}` }).runInContext(this.#context) as F
  }
}
