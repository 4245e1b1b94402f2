// Names that a script uses, and that neither it nor its object declares.
import type { GroovyProgram } from '@identity-gateway/groovy'
import type { UndeclaredName } from '../engine.ts'
import { constraintFunction } from './jwt-constraints.ts'
import { staticFunction } from './static-functions.ts'

/** Bindings of older gateways, with what scripts have in their place. */
const OLDER_BINDINGS: ReadonlyMap<string, string> = new Map([
  ['exchange', 'it was replaced in OpenIG 4: use request, context, attributes and session, and return a Response'],
])

/** The names that are no bindings, one entry for each; properties of the configuration may be among them. */
export function undeclaredNames({ unresolved, file }: GroovyProgram, bindings: readonly string[]): UndeclaredName[] {
  const known = new Set(bindings)
  const isKnown = (name: string): boolean =>
    known.has(name) ||
    staticFunction(name) !== undefined ||
    (known.has('builder') && (name === 'claim' || constraintFunction(name, null) !== undefined))
  const found = new Map<string, UndeclaredName>()
  for (const { name, kind, line, column, hiddenIn, similar } of unresolved) {
    if (isKnown(name) || found.has(name)) continue
    const older = OLDER_BINDINGS.get(name)
    const missing =
      kind === 'function'
        ? `the script has no method ${name}: a request that calls it fails with MissingMethodException`
        : `${name} is neither declared in the script nor a binding or argument of it: a request that reads it fails with MissingPropertyException`
    const hint = (): string => {
      if (older !== undefined) return older
      if (hiddenIn === 'body')
        return 'methods do not see local variables of the script: assign it without def, or pass it'
      if (hiddenIn === 'block')
        return 'it is a local variable of another block, closure or method: declare it before that'
      const other = similar(known)
      return other === null ? '' : `did you mean ${other}?`
    }
    const advice = hint()
    found.set(name, {
      name,
      kind,
      isCertain: kind === 'function' || older !== undefined,
      problem: advice === '' ? missing : `${missing}; ${advice}`,
      location: { file, line, column },
    })
  }
  return [...found.values()]
}
