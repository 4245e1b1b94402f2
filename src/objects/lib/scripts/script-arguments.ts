import {
  AccessTokenResolverKind,
  AuditServiceKind,
  Executor,
  FilterKind,
  HandlerKind,
  ResourceAccessKind,
  SecretStoreKind,
  SecretsProviderKind,
} from '#contracts'
import { compile, type Expression, isExpression, type Scope } from '#expression'
import { isPlainObject, setOwn } from '#json'
import {
  ConfigError,
  Deferred,
  type Environment,
  type Field,
  field,
  type Kind,
  Reference,
  type SettleContext,
  shown,
  type Typed,
} from '#schema'
import { bindingNames, HeapObject, isBindingName, type ScriptLanguage } from '#scripts'

/** The kinds of objects that scripts can use. */
const USABLE: readonly Kind[] = [HandlerKind, FilterKind, AccessTokenResolverKind, ResourceAccessKind]

const HEAP_OBJECT = /^[$#]\{\s*heap\s*(?:\[\s*(?:'([^']+)'|"([^"]+)")\s*\]|\.\s*([A-Za-z_$][\w$]*))\s*\}$/

/** The field `args`: JSON values by name. Texts may be expressions, which are evaluated at load. */
export function scriptArguments(taken: readonly string[]): Field<Record<string, unknown>> {
  return field<Record<string, unknown>>(
    { label: 'a map of arguments', schema: () => ({ type: 'object' }) },
    (value, report) => {
      if (!isPlainObject(value)) {
        report(`expected an object: argument name to value, got ${shown(value)}`)
        return undefined
      }
      const decoded: Record<string, unknown> = Object.create(null)
      for (const name of Object.keys(value)) {
        decoded[name] = decodeNamed(name, value[name], taken)
      }
      return decoded
    },
  )
}

function decodeNamed(name: string, value: unknown, taken: readonly string[]): unknown {
  if (taken.includes(name))
    return new RefusedArgument('scripts have something else of this name; call the argument otherwise')
  if (!isBindingName(name))
    return new RefusedArgument('expected a name that a script can use: letters, digits, _ and $')
  return name === 'clock' && heapName(value) === CLOCK ? new ClockArgument(USABLE, CLOCK) : decodeArgument(value)
}

/** The name in `${heap['Name']}`; null for another value. */
function heapName(value: unknown): string | null {
  const [, single, double, plain] = (typeof value === 'string' && HEAP_OBJECT.exec(value)) || []
  return single ?? double ?? plain ?? null
}

function decodeArgument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeArgument)
  if (isPlainObject(value)) {
    const decoded: Record<string, unknown> = Object.create(null)
    for (const key of Object.keys(value)) setOwn(decoded, key, decodeArgument(value[key]))
    return decoded
  }
  if (typeof value !== 'string' || !/[$#]\{/.test(value)) return value
  const name = heapName(value)
  if (name !== null) return new HeapArgument(USABLE, name)
  try {
    const expression = compile(value)
    return isExpression(value) ? new ArgumentExpression(expression) : expression.evaluate(NOTHING)
  } catch (error) {
    return new RefusedArgument(`${shown(value)} is not a valid expression: ${(error as Error).message}`)
  }
}

const NOTHING: Scope = { lookup: () => undefined }

const SECRETS =
  'scripts have the binding secrets in place of a provider; remove the argument, name this object in the field secretsProvider of the ' +
  "script's object, beside args, and replace calls of the provider by secrets.get('id') in Groovy or await secrets.get('id') " +
  'in JavaScript. Such a secret signs and verifies tokens, and compares a password with secret.matches(text); its value can not be read'

/** Objects that scripts of PingGateway get by an argument. */
const ADVICE: ReadonlyMap<Kind, string> = new Map<Kind, string>([
  [
    AuditServiceKind,
    'scripts have the binding audit in place of an audit service; remove the argument, and replace auditService.handleCreate(...) by ' +
      "audit.send('Topic', [eventName: 'NAME']) in Groovy or await audit.send('Topic', { eventName: 'NAME' }) in JavaScript. " +
      'The event goes to the service that audits the route, so add the topic to a handler of that one; ' +
      'or publish it to this service by an AuditFilter whose auditService names it',
  ],
  [SecretStoreKind, SECRETS],
  [SecretsProviderKind, SECRETS],
  [
    Executor,
    'scripts have no threads, and need no executor: a call that waits suspends the script without blocking the gateway; remove the argument',
  ],
])

const CLOCK = 'Clock'
const NO_CLOCK = 'scripts in Groovy have the binding clock, and those in JavaScript Date.now(); remove the argument'

/** Names that every heap of PingGateway has, and none of this gateway: its samples pass the clock to scripts by an argument. */
const MISSING: ReadonlyMap<string, string> = new Map([[CLOCK, NO_CLOCK]])

/** `${heap['Name']}`: an object of the heap, which is built before the script's own. */
class HeapArgument extends Reference {
  override readonly advice = ADVICE
  override readonly missing = MISSING

  override async settle(context: SettleContext, pointer: string): Promise<unknown> {
    const object = (await super.settle(context, pointer)) as Typed | null | undefined
    return object === undefined || object === null ? object : new HeapObject(object.kind.name, object.value)
  }
}

/** In place of `${heap['Clock']}` in a heap without that object. */
const OWN_CLOCK = Symbol('clock')

/** The argument `clock` of scripts of PingGateway: in Groovy the binding of that name is in its place. */
class ClockArgument extends HeapArgument {
  override readonly isOptional = true

  override async settle(context: SettleContext, pointer: string): Promise<unknown> {
    return (await super.settle(context, pointer)) ?? OWN_CLOCK
  }
}

/** Arguments without a `clock` that the language has as a binding, which gives a warning; in another language it is a problem. */
export function withoutOwnClock(
  { args, type: language }: { readonly args: Readonly<Record<string, unknown>>; readonly type: ScriptLanguage },
  env: Environment,
): Readonly<Record<string, unknown>> {
  const { clock, ...others } = args
  if (clock !== OWN_CLOCK) return args
  const pointer = '/args/clock'
  if (!bindingNames(language).includes('clock')) throw new ConfigError([{ pointer, message: NO_CLOCK }])
  env.warn(`the argument has no effect: ${NO_CLOCK}`, pointer)
  return others
}

/** Reported where the others are settled: one run then has the problems of all arguments. */
class RefusedArgument extends Deferred<unknown> {
  readonly #problem: string

  constructor(problem: string) {
    super()
    this.#problem = problem
  }

  settle(context: SettleContext, pointer: string): undefined {
    context.report(pointer, this.#problem)
  }
}

/** Names that exist while a request is handled only. */
const OF_REQUESTS = new Set(['request', 'response', 'contexts', 'context', 'attributes', 'session', 'exchange'])

/** Any other expression. */
class ArgumentExpression extends Deferred<unknown> {
  readonly #expression: Expression

  constructor(expression: Expression) {
    super()
    this.#expression = expression
  }

  settle(context: SettleContext, pointer: string): unknown {
    const missing = new Set<string>()
    const lookup = (name: string): unknown => {
      const value = lookUp(context.scope, name)
      if (value === undefined && OF_REQUESTS.has(name)) missing.add(name)
      return value
    }
    try {
      const value = this.#expression.evaluate({ lookup })
      if (missing.size > 0) context.warn(pointer, absentAtLoad(this.#expression.source, [...missing]))
      return value
    } catch (error) {
      context.report(pointer, `${this.#expression.source} can not be evaluated: ${(error as Error).message}`)
      return undefined
    }
  }
}

function absentAtLoad(source: string, missing: readonly string[]): string {
  const names = missing.join(', ')
  const [does, each] = missing.length > 1 ? ['do', 'they are'] : ['does', 'it is']
  return `${source}: ${names} ${does} not exist when the route loads, which is when arguments are evaluated, so that ${each} null here; compute the value in the script`
}

function lookUp(scope: Scope, name: string): unknown {
  if (name !== 'heap') return scope.lookup(name)
  throw new TypeError("an object of the heap is the whole value, its name written out, as in ${heap['MyHandler']}")
}
