import { compile, type Json, type Scope, substituteTokens } from '#expression'
import type { Step } from '#heap'
import { type Exchange, exchangeScope, Uri } from '#http'
import { isPlainObject, type JsonValue } from '#json'

/** Where a handler would send the request. */
interface RequestTarget {
  /** Null where it can not be determined without running the route. */
  readonly uri: string | null
  /** The `baseURI` as written; null where the Host of the request decides. */
  readonly baseURI: string | null
  /** Steps before it that may set another target. */
  readonly mayBeSetBy: readonly string[]
}

/** A step, with the target of a handler that sends the request. */
export type ExplainedStep = Step & { readonly target?: RequestTarget }

/** Adds the targets of handlers such as ReverseProxyHandler, for the request as it arrived. */
export function withTargets(steps: readonly Step[], exchange: Exchange, bindings: Scope): ExplainedStep[] {
  const setters: string[] = []
  return steps.map((step) => {
    if (step.setsTarget) setters.push(step.name ?? step.type ?? '')
    if (step.baseURI === undefined) return step
    return { ...step, target: targetOf(step.baseURI, exchange, bindings, [...setters]) }
  })
}

function targetOf(
  baseURI: JsonValue,
  exchange: Exchange,
  bindings: Scope,
  mayBeSetBy: readonly string[],
): RequestTarget {
  if (baseURI === null) return { uri: exchange.request.uri.toString(), baseURI: null, mayBeSetBy }
  const written = typeof baseURI === 'string' ? baseURI : JSON.stringify(baseURI)
  return { uri: rebased(written, exchange, bindings), baseURI: written, mayBeSetBy }
}

/** Null for an unknown token, and for an expression that needs values that filters add. */
function rebased(written: string, exchange: Exchange, bindings: Scope): string | null {
  try {
    const { value, problems } = substituteTokens(written, (token) => propertyOf(bindings, token))
    if (problems.length > 0) return null
    const base = Uri.parse(String(compile(String(value)).evaluate(exchangeScope(exchange, null, bindings))))
    const request = exchange.request.clone()
    request.uri.rebase(base)
    return request.uri.toString()
  } catch {
    return null
  }
}

/** A property by the dotted path of a token. */
function propertyOf(bindings: Scope, token: string): Json | undefined {
  const [first = '', ...rest] = token.split('.')
  let value: unknown = bindings.lookup(first)
  for (const name of rest) value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof value === 'string' ? value : undefined
}
