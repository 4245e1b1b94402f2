import { equalsIgnoreCase, Headers, isHopByHop } from '#http'
import { appendPointer } from '#json'
import type { Runtime } from '#schema'
import { encodedValue, type HeaderEncoding, type HeaderFields } from './header-values.ts'

type Report = (path: string, message: string) => void

/** Reports names and constant values that could never be sent; `pointer` is where the fields stand. */
export function checkHeaderFields(
  pointer: string,
  fields: HeaderFields,
  report: Report,
  encoding: HeaderEncoding = 'ISO-8859-1',
): void {
  for (const name of Object.keys(fields)) {
    const constants = (fields[name] ?? []).filter((ask) => ask.expression.constant).map(constantText)
    for (const value of constants.length === 0 ? [''] : constants) {
      reportHeader(name, encodedValue(value, encoding) ?? value, appendPointer(pointer, name), report)
    }
  }
}

/** Reports a header that could never be sent. */
export function reportHeader(name: string, value: string, path: string, report: Report): void {
  try {
    new Headers().add(name, value)
  } catch (error) {
    report(path, (error as Error).message)
  }
}

/** Warns of fields that the gateway writes itself, so that setting them does nothing. */
export function warnOfFraming(names: readonly string[], warn: (message: string) => void): void {
  for (const name of names) {
    if (!isHopByHop(name) && !equalsIgnoreCase(name, 'content-length')) continue
    warn(`setting the header ${name} has no effect, since it belongs to one connection; remove it`)
  }
}

/** The value of an expression that holds none; it is the same in every scope. */
export function constantText(ask: Runtime<string>): string {
  return ask.expression.evaluate({ lookup: () => undefined }) as string
}
