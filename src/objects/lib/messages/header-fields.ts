import { equalsIgnoreCase, Headers, isHopByHop } from '#http'
import { appendPointer } from '#json'
import type { Runtime } from '#schema'
import { encodedValue, type HeaderEncoding, type HeaderFields } from './header-values.ts'

type Report = (path: string, message: string) => void

/** Reports invalid header names and invalid constant values; `pointer` is that of the fields. */
export function checkHeaderFields(
  pointer: string,
  fields: HeaderFields,
  report: Report,
  encoding: HeaderEncoding = 'ISO-8859-1',
): void {
  for (const name of Object.keys(fields)) {
    const constants = (fields[name] ?? []).filter((evaluate) => evaluate.expression.constant).map(constantText)
    for (const value of constants.length === 0 ? [''] : constants) {
      reportHeader(name, encodedValue(value, encoding) ?? value, appendPointer(pointer, name), report)
    }
  }
}

/** Reports an invalid header. */
export function reportHeader(name: string, value: string, path: string, report: Report): void {
  try {
    new Headers().add(name, value)
  } catch (error) {
    report(path, (error as Error).message)
  }
}

/** Warns of hop-by-hop fields and Content-Length: the gateway overwrites them. */
export function warnOfFraming(names: readonly string[], warn: (message: string) => void): void {
  for (const name of names) {
    if (!isHopByHop(name) && !equalsIgnoreCase(name, 'content-length')) continue
    warn(`setting the header ${name} has no effect, since it belongs to one connection; remove it`)
  }
}

/** The value of a constant expression. */
export function constantText(evaluate: Runtime<string>): string {
  return evaluate.expression.evaluate({ lookup: () => undefined }) as string
}
