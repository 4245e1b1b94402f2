import { compileRegex } from '@identity-gateway/regex'
import type { Headers } from '#http'
import { isSecretName, maskText, redacted } from '#logging'
import { boolean, config, type Field, field, integer, list, object, type Pattern, type Settings, string } from '#schema'

/** Values to mask in addition to credentials. */
const masksField = () =>
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

/** Fields of what captures messages. */
export const captureFields = (logsEntities: boolean) => ({
  captureEntity: config(boolean()).default(logsEntities).meta({ description: 'Whether text entities are logged.' }),
  captureContext: config(boolean())
    .default(false)
    .meta({ description: 'Whether client, original URI, attributes and names of contexts are logged.' }),
  maxEntityLength: config(integer({ min: 1, max: 16_777_216 }))
    .default(524_288)
    .meta({ description: 'Maximum bytes of an entity in the log; the rest is omitted, with a note.' }),
  masks: masksField()
    .default({})
    .meta({ description: 'Values to mask in addition to credentials, which are always masked.' }),
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
