import { constants, createContext, Script } from 'node:vm'
import type { Scope } from '#expression'
import type { EvaluationPort } from './evaluation-port.ts'
import { heapValues } from './evaluation-port.ts'
import { hostMessages } from './host-messages.ts'
import { hostValues } from './host-values.ts'
import type { Program } from './program.ts'
import { type RealmEvaluations, realmEvaluations, type ScriptFunction } from './realm/evaluations.ts'
import { realmForms } from './realm/forms.ts'
import { realmHeaders } from './realm/header-fields.ts'
import { realmMessages } from './realm/messages.ts'
import { realmStatuses } from './realm/statuses.ts'
import { realmValues } from './realm/values.ts'

/**
 * What the language has and scripts do not: what would call a script when nobody watches it, what waits for another thread,
 * and a console that writes nowhere.
 */
const ABSENT = ['FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'console']

const settleMicrotasks = new Script('0', { filename: 'realm' })

/** A world of its own for the scripts of one object: own built-in objects, own prototypes, own queue of promises. */
export class Realm {
  // A queue of its own: what follows an `await` runs when this class says so, and so under the guard's watch.
  readonly #context = createContext(constants.DONT_CONTEXTIFY, {
    name: 'script',
    microtaskMode: 'afterEvaluate',
    codeGeneration: { strings: false, wasm: false },
  })
  readonly #functions = new WeakMap<Program, ScriptFunction>()
  readonly #evaluations: RealmEvaluations

  /** The scope holds the properties that scripts may name. */
  constructor(scope: Scope) {
    for (const name of ABSENT) Reflect.deleteProperty(this.#context, name)
    const values = this.#inside(realmValues)(hostValues)
    const { Status } = this.#inside(realmStatuses)(hostMessages)
    const headers = this.#inside(realmHeaders)(values)
    const messages = this.#inside(realmMessages)(values, headers, hostValues, hostMessages, Status)
    const forms = this.#inside(realmForms)(values, hostMessages)
    const host = { ...hostValues, ...heapValues }
    this.#evaluations = this.#inside(realmEvaluations)(values, host, messages, forms, (name) => scope.lookup(name))
    for (const [name, value] of Object.entries({ ...messages.classes, ...forms.classes, Status })) {
      Object.defineProperty(this.#context, name, { value, writable: true, configurable: true, enumerable: false })
    }
  }

  /** What tells the promises of this realm from those of others. */
  get promisePrototype(): object {
    return (this.#context as { Promise: { prototype: object } }).Promise.prototype
  }

  /** Begins an evaluation. To be called under a guard, as everything below. */
  start(program: Program, port: EvaluationPort): void {
    let script = this.#functions.get(program)
    if (script === undefined) {
      script = program.script.runInContext(this.#context) as ScriptFunction
      this.#functions.set(program, script)
    }
    this.#evaluations.start(script, program.bindings, port)
    this.settle()
  }

  /** Runs what waits for promises that have been settled. */
  settle(): void {
    settleMicrotasks.runInContext(this.#context)
  }

  describe(error: unknown): { message: string; stack: string } {
    return this.#evaluations.describe(error)
  }

  /** A function as one of this realm, made from its text: it sees its parameters and the language, nothing else. */
  #inside<F extends (...args: never[]) => unknown>(build: F): F {
    return new Script(`'use strict';(${build})`, { filename: `realm/${build.name}` }).runInContext(this.#context) as F
  }
}
