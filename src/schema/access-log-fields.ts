import { compile, isExpression } from '#expression'
import { EXPRESSION_SCHEMA } from './compiled.ts'
import { type DecodedMembers, object } from './composites.ts'
import { config } from './config-expression.ts'
import type { Settled } from './deferred.ts'
import { expected, type Field, field, type Report } from './field.ts'
import { shown } from './problem.ts'

const FORMATS = ['json', 'combined']
const FORMAT_SCHEMA = { anyOf: [{ enum: FORMATS }, EXPRESSION_SCHEMA] }

/** The source of an expression that is evaluated when a request has ended: its bodies are gone by then. */
function checkedSource(text: string, report: Report): string | undefined {
  try {
    const { reads } = compile(text)
    if (!reads.requestBody && !reads.responseBody) return text
    report('an expression of the access log can not read a body: bodies are gone when the request has ended')
  } catch (error) {
    report(`${shown(text)} is not a valid expression: ${(error as Error).message}`)
  }
  return undefined
}

const format = field<string>({ label: 'a format', schema: () => FORMAT_SCHEMA }, (value, report) => {
  if (typeof value === 'string' && FORMATS.includes(value)) return value
  if (typeof value === 'string' && isExpression(value)) return checkedSource(value, report)
  const wanted = '"json", "combined" or a template such as "${access.method} ${access.path} ${access.status}"'
  report(expected(wanted, value))
  return undefined
}) as Field<string>

const line = field<string>(
  { label: 'a condition', schema: () => ({ anyOf: [{ type: 'boolean' }, EXPRESSION_SCHEMA] }) },
  (value, report) => {
    if (typeof value === 'boolean') return `\${${value}}`
    if (typeof value === 'string' && isExpression(value)) return checkedSource(value, report)
    report(expected('true, false or an expression such as "${response.status >= 400}"', value))
    return undefined
  },
) as Field<string>

/** A word without a dot or slash is most likely misspelled. */
const DESTINATION = /^(?:stdout|off)$|[./]/

const destination = field<string>(
  { label: 'a destination', schema: () => ({ type: 'string', pattern: DESTINATION.source }) },
  (value, report) => {
    if (typeof value === 'string' && DESTINATION.test(value) && !value.includes('\0')) return value
    report(expected('"stdout", "off" or the path of a file', value))
    return undefined
  },
)

/** `accessLog` of admin.json, as plain data. */
export const accessLogFields = object({
  format: format.default('json').meta({
    description:
      'Format of a line: `json`, `combined` (the format of Apache and nginx), or a template with `${}`, in which `access` has the fields of the JSON line.',
  }),
  destination: config(destination).default('stdout').meta({
    description:
      '`stdout`, `off`, or the path of a file, relative to the state directory, else to the instance. The file is opened again on SIGHUP, for tools that rotate it.',
  }),
  condition: line.optional().meta({
    description:
      'A line is written only for requests for which the expression is true, evaluated when the request has ended.',
  }),
})

/** Settings of the access log. */
export type AccessLogSettings = Settled<DecodedMembers<{ readonly accessLog: typeof accessLogFields }>>['accessLog']
