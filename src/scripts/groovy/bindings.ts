import { BindingValue, ClockValue, classes, type HashMapValue, type Value } from '@identity-gateway/groovy'
import { AuditExtensions, type Exchange } from '#http'
import type { ScriptSettings } from '../engine.ts'
import type { EvaluationInput } from '../evaluation-input.ts'
import { AuditValue } from './audit.ts'
import { type ContextMaps, ContextsMap, leafContext } from './contexts.ts'
import type { EvaluationHost } from './evaluation-host.ts'
import { SenderValue } from './handlers.ts'
import { toGroovy } from './host-values.ts'
import { constraintFunction } from './jwt-constraints.ts'
import { scriptLogger } from './logger.ts'
import { requestValue } from './message-values.ts'
import { SecretsValue } from './secrets.ts'
import { type HeldValues, SharedMap } from './shared-map.ts'
import { staticFunction } from './static-functions.ts'

/** The bindings of one evaluation. Values are created on first use. */
export class ScriptBindings {
  readonly binding: BindingValue
  readonly #settings: ScriptSettings
  readonly #input: EvaluationInput
  readonly #host: EvaluationHost
  readonly #globals: HashMapValue
  readonly #offered: ReadonlySet<string>
  #maps: SharedMaps | null = null

  /** `offered`: the names of bindings for the object's type. */
  constructor(
    settings: ScriptSettings,
    input: EvaluationInput,
    host: EvaluationHost,
    globals: HashMapValue,
    offered: ReadonlySet<string>,
  ) {
    this.#offered = offered
    this.#settings = settings
    this.#input = input
    this.#host = host
    this.#globals = globals
    this.binding = new BindingValue((name) => this.#value(name))
  }

  /** Writes changes inside of values of the attributes, the session and the access event back. */
  publish(): void {
    this.#maps?.attributes.publish()
    this.#maps?.session.publish()
    this.#maps?.extensions.publish()
  }

  #value(name: string): Value | undefined {
    return this.#offered.has(name)
      ? this.#binding(name)
      : (this.#function(name) ?? this.#property(name) ?? staticFunction(name))
  }

  #binding(name: string): Value | undefined {
    const { exchange, next, token, values } = this.#input
    if (Object.hasOwn(this.#settings.args, name)) return toGroovy(this.#settings.args[name])
    switch (name) {
      case 'request':
        return requestValue(exchange.request)
      case 'response':
        return null
      case 'context':
        return this.#context()
      case 'contexts':
        return new ContextsMap(this.#host, this.#context())
      case 'attributes':
        return this.#shared().attributes
      case 'session':
        return this.#shared().session
      case 'globals':
        return this.#globals
      case 'http':
        return SenderValue.http()
      case 'audit':
        return new AuditValue(exchange)
      case 'secrets':
        return new SecretsValue()
      case 'logger':
        return scriptLogger
      case 'next':
        return next === undefined ? undefined : SenderValue.next()
      case 'token':
        return token
      case 'clock':
        return new ClockValue(() => this.#settings.clock.now())
      case 'args':
        return toGroovy(this.#settings.args)
    }
    return values !== undefined && Object.hasOwn(values, name) ? toGroovy(values[name]) : undefined
  }

  /** Functions of the binding `builder`. */
  #function(name: string): Value | undefined {
    if (!this.#offered.has('builder')) return undefined
    return constraintFunction(name, this.binding.get('builder') ?? null)
  }

  /** A property of the configuration. The environment is not among them: `System.getenv` has its own list. */
  #property(name: string): Value | undefined {
    if (name === 'env' || name === 'system') return undefined
    const value = this.#settings.scope.lookup(name)
    return value === undefined || value === null ? undefined : toGroovy(value)
  }

  #context() {
    return leafContext(this.#host, this.#shared())
  }

  #shared(): SharedMaps {
    this.#maps ??= sharedMaps(this.#input.exchange)
    return this.#maps
  }
}

type SharedMaps = { readonly [Name in keyof ContextMaps]: SharedMap }

/** Values that scripts have stored, by the attributes of their request. */
const heldByAttributes = new WeakMap<object, HeldValues>()

function heldValues(attributes: object): HeldValues {
  let held = heldByAttributes.get(attributes)
  if (held === undefined) {
    held = new Map()
    heldByAttributes.set(attributes, held)
  }
  return held
}

function sharedMaps(exchange: Exchange): SharedMaps {
  const { session, attributes } = exchange
  return {
    extensions: new SharedMap(classes.LinkedHashMapClass, new AuditExtensions(exchange)),
    session: new SharedMap(classes.LinkedHashMapClass, session),
    attributes: new SharedMap(
      classes.LinkedHashMapClass,
      {
        get: (key) => (Object.hasOwn(attributes, key) ? attributes[key] : undefined),
        set: (key, value) => {
          attributes[key] = value
        },
        delete: (key) => {
          Reflect.deleteProperty(attributes, key)
        },
        keys: () => Object.keys(attributes),
      },
      heldValues(attributes),
    ),
  }
}
