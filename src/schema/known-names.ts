import { contextsRead, type Expression, type Scope, unknownNames } from '#expression'
import { EXCHANGE_NAMES, Request, Response, Uri } from '#http'
import type { SettleContext } from './deferred.ts'
import { didYouMean } from './problem.ts'

/** Names that single fields bind besides those of every expression: `args` of scripts, the format of the access log, cookies. */
const OF_FIELDS = ['heap', 'access', 'previous']

/** Shorter names have so many neighbours that a similar one is no evidence of a mistake. */
const SHORTEST_MISSPELLING = 5

const SAMPLES = {
  request: new Request({ method: 'GET', uri: Uri.parse('http://localhost/') }),
  response: new Response(200),
}

/**
 * Reports names that can never have a value: misspelled names, and members that requests and responses do not have. Other unbound
 * names are null in every request, which is a warning. With `unknownFields: "warn"` all are warnings.
 */
export function reportUnknownNames(
  expression: Pick<Expression, 'source' | 'constant' | 'segments'>,
  context: Omit<SettleContext, 'resolve' | 'inheritedSecrets'>,
  pointer: string,
  consequence = 'it is always null',
): void {
  const { scope, isLenient = false } = context
  if (expression.constant || scope.names === undefined) return
  const contexts = context.reads === undefined ? [] : contextsRead(expression)
  if (contexts.length > 0) context.reads?.(pointer, contexts)
  for (const { name, of, known } of unknownNames(expression, namesIn(scope), SAMPLES)) {
    const suggestion = didYouMean(name, known)
    const subject =
      of === null ? `nothing has the name ${JSON.stringify(name)}` : `${of} has no ${JSON.stringify(name)}`
    const message = `${expression.source}: ${subject}, so that ${consequence}${suggestion}`
    const isMistake = of !== null || (suggestion !== '' && name.length >= SHORTEST_MISSPELLING)
    if (isMistake && !isLenient) context.report(pointer, message)
    else context.warn(pointer, message)
  }
}

/** Names like those of environment variables, which other tools replace in files before they are read. */
const ENVIRONMENT_NAME = /^[A-Z][A-Z0-9_]*$/

/** Completes the error for an expression that is null where a value is required: its names without a value; empty if all have one. */
export function unboundNames(expression: Pick<Expression, 'segments'>, scope: Scope): string {
  if (scope.names === undefined) return ''
  const unbound = unknownNames(expression, namesIn(scope), {}).map(({ name }) => name)
  return unbound
    .map((name) => {
      const isVariable = ENVIRONMENT_NAME.test(name)
      const advice = isVariable ? `: the environment variable is \${env['${name}']}, or &{${name}}` : ''
      return `; nothing has the name ${JSON.stringify(name)}${advice}`
    })
    .join('')
}

const knownNames = new WeakMap<Scope, ReadonlySet<string>>()

/** The names of a scope, computed once for all expressions of a document. */
function namesIn(scope: Scope): ReadonlySet<string> {
  let names = knownNames.get(scope)
  if (names === undefined) {
    names = new Set([...EXCHANGE_NAMES, ...OF_FIELDS, ...(scope.names?.() ?? [])])
    knownNames.set(scope, names)
  }
  return names
}
