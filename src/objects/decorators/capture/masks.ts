import { compileRegex } from '#expression'
import type { Headers } from '#http'
import { redacted } from '#logging'
import { config, type Field, field, list, object, type Pattern, type Settings, string } from '#schema'
import { isSecretName } from '../../lib/secret-names.ts'
import { maskText } from './secret-text.ts'

/** What users want masked, beyond what always is. */
export const masksField = () =>
  object({
    headers: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions, found in names of header fields whose values are masked.' }),
    trailers: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions, found in names of trailer fields whose values are masked.' }),
    attributes: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions, found in names of attributes whose values are masked.' }),
    mask: config(string()).default('*****').meta({ description: 'What stands in the place of a masked value.' }),
  })

/** Masks as they are used for each message. */
export type Masks = Settings<ReturnType<typeof masksField>>

/** A pattern for names; their case does not matter. */
function namePattern(): Field<Pattern> {
  const label = 'a regular expression'
  return field({ label, schema: () => ({ type: 'string', format: 'regex' }) }, (value, report) => {
    if (typeof value !== 'string') {
      report(`expected ${label}, got ${JSON.stringify(value)}`)
      return undefined
    }
    try {
      return compileRegex(value, 'i')
    } catch (error) {
      report(`expected ${label}, got ${JSON.stringify(value)}: ${(error as Error).message}`)
      return undefined
    }
  })
}

/** Fields by name with their values, credentials and what the masks name left out. */
export function printedFields(fields: Headers, patterns: readonly Pattern[], mask: string): Record<string, unknown> {
  const printed: Record<string, unknown> = Object.create(null)
  for (const name of fields.names()) {
    const values = fields.all(name).map((value) => printedValue(name, value, patterns, mask))
    printed[name] = values.length === 1 ? values[0] : values
  }
  return printed
}

/** Attributes with their values; the log leaves out what lies deeper under the name of a credential. */
export function printedAttributes(
  attributes: Readonly<Record<string, unknown>>,
  { attributes: patterns, mask }: Masks,
): Record<string, unknown> {
  const printed: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(attributes)) printed[name] = printedValue(name, value, patterns, mask)
  return printed
}

function printedValue(name: string, value: unknown, patterns: readonly Pattern[], mask: string): unknown {
  if (isSecretName(name)) return redacted
  if (patterns.some((pattern) => pattern.test(name))) return mask
  return typeof value === 'string' ? maskText(value) : value
}
