import { compileRegex } from '#expression'
import type { Headers } from '#http'
import { isSecretName, maskText, redacted } from '#logging'
import { config, type Field, field, list, object, type Pattern, type Settings, string } from '#schema'

/** Values to mask in addition to credentials. */
export const masksField = () =>
  object({
    headers: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions that match in names of header fields to mask.' }),
    trailers: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions that match in names of trailer fields to mask.' }),
    attributes: list(namePattern())
      .default([])
      .meta({ description: 'Regular expressions that match in names of attributes to mask.' }),
    mask: config(string()).default('*****').meta({ description: 'Replacement of a masked value.' }),
  })

/** Settled masks. */
export type Masks = Settings<ReturnType<typeof masksField>>

/** A case-insensitive pattern for names. */
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

/** Fields with their values, without credentials and masked values. */
export function printedFields(fields: Headers, patterns: readonly Pattern[], mask: string): Record<string, unknown> {
  const printed: Record<string, unknown> = Object.create(null)
  for (const name of fields.names()) {
    const values = fields.all(name).map((value) => printedValue(name, value, patterns, mask))
    printed[name] = values.length === 1 ? values[0] : values
  }
  return printed
}

/** Attributes with their values; the logger masks nested credentials by name. */
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
