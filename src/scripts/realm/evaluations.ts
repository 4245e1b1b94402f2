import type { HostEvaluations } from '../evaluation-port.ts'
import type { Handle } from '../handle.ts'
import type { HostValues } from '../host-values.ts'
import type { RealmBridge } from './bridge.ts'
import type { RealmForms } from './forms.ts'
import type { GatewayCall, RealmMessages } from './messages.ts'
import type { RealmSecrets } from './secrets.ts'
import type { RealmValues } from './values.ts'

/** A compiled script, as a function of its bindings. */
export type ScriptFunction = (...bindings: readonly unknown[]) => Promise<unknown>

/** Settles a call of an evaluation, by its number; `problem` is the error message. */
export type SettleCall = (number: number, value: unknown, problem: string | null) => void

/** Calls from the gateway into a realm. */
export interface RealmEvaluations {
  /** Returns the function that starts an evaluation of a script. Its outcome is passed to the port. */
  prepare(script: ScriptFunction, bindings: Handle): (port: Handle) => SettleCall
  /** Describes a thrown value. */
  describe(error: unknown): string
}

/** Runs inside the realm. */
export function realmEvaluations(
  { errorFor, causeOf }: RealmBridge,
  values: RealmValues,
  data: HostValues,
  host: HostEvaluations,
  messages: RealmMessages,
  forms: RealmForms,
  secrets: RealmSecrets,
  lookup: (name: string) => unknown,
): RealmEvaluations {
  const { toRealm, toHost, view } = values
  const { Promise: RealmPromise } = globalThis
  const globals: object = Object.create(null)
  const constants = new Map<string, unknown>()

  const properties = new Proxy(Object.create(null), {
    get: (_target, key) => (typeof key === 'string' ? toRealm(lookup(key)) : undefined),
    has: (_target, key) => typeof key === 'string' && lookup(key) !== undefined,
    set: (_target, key) => {
      throw new TypeError(`the property "${String(key)}" can not be changed by a script`)
    },
  })
  // A name that is not defined otherwise may be a property.
  Object.setPrototypeOf(
    globalThis,
    new Proxy(Object.prototype, {
      has: (target, key) => Reflect.has(target, key) || (typeof key === 'string' && lookup(key) !== undefined),
      get: (target, key, receiver) => {
        if (Reflect.has(target, key) || typeof key !== 'string') return Reflect.get(target, key, receiver)
        return toRealm(lookup(key))
      },
      // An undeclared variable would be shared by all requests.
      set: (_target, key) => {
        const name = String(key)
        if (lookup(name) !== undefined) throw new TypeError(`the property "${name}" can not be changed by a script`)
        throw new ReferenceError(`${name} is not defined; declare it with const or let, or keep it in globals`)
      },
    }),
  )

  interface PendingCall {
    resolve(value: unknown): void
    reject(error: Error): void
  }

  const gatewayCaller =
    (port: Handle, pendingCalls: PendingCall[]): GatewayCall =>
    (what, subject, argument) =>
      new RealmPromise((resolve, reject) => {
        const number = pendingCalls.length
        pendingCalls[number] = { resolve, reject }
        host.startCall(port, number, what, subject, argument)
      })

  const requestAmong = (what: string, args: readonly unknown[]): Handle => {
    for (const arg of args) {
      const request = messages.hostRequest(arg)
      if (request !== null) return request
    }
    throw new TypeError(`${what}: expected a Request among the arguments`)
  }

  const responseOf = async (
    callGateway: GatewayCall,
    what: string,
    subject: unknown,
    argument: unknown,
  ): Promise<object | null> => {
    const response = (await callGateway(what, subject, argument)) as Handle | null
    return response === null ? null : messages.response(response, callGateway)
  }

  /** Wrappers of heap objects. */
  const heapObject = (kind: string, value: unknown, callGateway: GatewayCall): object => {
    switch (kind) {
      case 'Handler':
        return Object.freeze({
          handle: async (...args: unknown[]) => responseOf(callGateway, 'handle', value, requestAmong('handle', args)),
        })
      case 'Filter':
        return Object.freeze({
          filter: async (...args: unknown[]) => responseOf(callGateway, 'filter', value, requestAmong('filter', args)),
        })
      case 'AccessTokenResolver':
        return Object.freeze({
          resolve: async (...args: unknown[]) => toRealm(await callGateway('resolve', value, String(args.at(-1)))),
        })
      default:
        return Object.freeze({
          requiredScopes: async () => toRealm(await callGateway('scopes', value, null)),
        })
    }
  }

  const argumentOf = (value: unknown, callGateway: GatewayCall): unknown => {
    const kind = host.heapKind(value)
    if (kind !== null) return heapObject(kind, value, callGateway)
    const shape = data.shape(value)
    if (shape !== 'list' && shape !== 'map') return toRealm(value)
    const copy = shape === 'list' ? [] : {}
    const keys = shape === 'list' ? Array.from({ length: data.length(value) }, (_each, at) => String(at)) : null
    for (const key of keys ?? values.texts(data.keys(value))) {
      const own = keys === null ? data.read(value, key) : data.at(value, Number(key))
      values.put(copy, key, argumentOf(own, callGateway), own)
    }
    return copy
  }

  /** Arguments without heap objects are created once for all evaluations. */
  const argument = (name: string, port: Handle, callGateway: GatewayCall): unknown => {
    if (constants.has(name)) return constants.get(name)
    const value = argumentOf(host.argument(port, name), callGateway)
    if (host.isShared(port, name)) constants.set(name, value)
    return value
  }

  const filled = (message: unknown, args: readonly unknown[]): string => {
    let at = 0
    const text = String(message).replaceAll('{}', (hole) => (at < args.length ? shown(args[at++]) : hole))
    return [text, ...args.slice(at).map(shown)].join(' ')
  }

  const shown = (value: unknown): string => {
    if (value instanceof Error) return String(value.stack)
    return typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? '') : String(value)
  }

  const logger = (port: Handle): object => {
    const method =
      (level: 'trace' | 'debug' | 'info' | 'warn' | 'error') =>
      (message: unknown, ...args: unknown[]) => {
        if (host.logs(port, level)) host.log(port, level, filled(message, args))
      }
    return Object.freeze({
      trace: method('trace'),
      debug: method('debug'),
      info: method('info'),
      warn: method('warn'),
      error: method('error'),
    })
  }

  const bind = (name: string, port: Handle, callGateway: GatewayCall): unknown => {
    switch (name) {
      case 'request':
        return messages.request(host.request(port), callGateway)
      case 'response':
        return null
      case 'context':
      case 'contexts':
      case 'attributes':
      case 'session':
        return view(host.lookup(port, name))
      case 'globals':
        return globals
      case 'http':
        return Object.freeze({
          send: async (...args: unknown[]) => responseOf(callGateway, 'send', requestAmong('http.send', args), null),
        })
      case 'audit':
        return Object.freeze({
          send: async (topic: unknown, fields: unknown) => {
            await callGateway('audit', String(topic), toHost(fields))
          },
        })
      case 'secrets':
        return secrets.secrets(callGateway)
      case 'logger':
        return logger(port)
      case 'next':
        return Object.freeze({
          handle: async (...args: unknown[]) =>
            responseOf(callGateway, 'next', requestAmong('next.handle', args), null),
        })
      case 'token':
        return host.token(port)
      case 'properties':
        return properties
      default:
        return argument(name, port, callGateway)
    }
  }

  const expected = (what: string, value: unknown): TypeError => {
    const got = value === null || value === undefined ? String(value) : typeof value
    return new TypeError(`expected the script to return ${what}, got ${got}`)
  }

  /** Converts and checks the result of a script. */
  const delivered = (value: unknown, result: string): unknown => {
    if (value === null || value === undefined) {
      if (result === 'texts') throw expected('a Set or an array of strings', value)
      // Without a rate a request is not limited: null must be returned explicitly.
      if (result === 'rate' && value === undefined) throw expected('a ThrottlingRate or null', value)
      return null
    }
    switch (result) {
      case 'response': {
        const response = messages.hostResponse(value)
        if (response === null) throw expected('a Response', value)
        return response
      }
      case 'texts': {
        if (!(value instanceof Set) && !Array.isArray(value)) throw expected('a Set or an array of strings', value)
        const all = [...value]
        for (const each of all) if (typeof each !== 'string') throw expected('nothing but strings', each)
        return toHost(all)
      }
      case 'text':
        if (typeof value !== 'string') throw expected('a string', value)
        return value
      case 'rate': {
        const rate = forms.rateOf(value)
        if (rate === null) throw expected('a ThrottlingRate', value)
        return toHost(rate)
      }
      default:
        return toHost(value)
    }
  }

  const describeError = (error: unknown): { message: string; stack: string } => {
    if (typeof error !== 'object' || error === null) return { message: `threw ${String(error)}`, stack: '' }
    // Proxies and getters may throw here: the script has to end nevertheless.
    try {
      const { name, message, stack } = error as Error
      if (message === undefined) return { message: 'threw an object without a message; throw an Error', stack: '' }
      const text = name === 'Error' || name === undefined ? `${message}` : `${name}: ${message}`
      return { message: text, stack: `${stack}` }
    } catch {
      return { message: 'threw an object that can not be read; throw an Error', stack: '' }
    }
  }

  const evaluate = async (script: ScriptFunction, args: () => readonly unknown[], port: Handle): Promise<void> => {
    try {
      host.deliver(port, delivered(await script(...args()), host.result(port)))
    } catch (error) {
      const { message, stack } = describeError(error)
      host.failed(port, message, stack, causeOf(error))
    }
  }

  return {
    prepare: (script, bindings) => {
      const names = values.texts(bindings)
      return (port) => {
        const pendingCalls: PendingCall[] = []
        const callGateway = gatewayCaller(port, pendingCalls)
        void evaluate(script, () => names.map((name) => bind(name, port, callGateway)), port)
        return (number, value, problem) => {
          const pendingCall = pendingCalls[number]
          if (problem === null) pendingCall?.resolve(value)
          else pendingCall?.reject(errorFor(problem, value))
        }
      }
    },
    describe: (error) => {
      const { message, stack } = describeError(error)
      return stack === '' || stack === 'undefined' ? message : stack
    },
  }
}
