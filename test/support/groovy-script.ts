// Groovy scripts with the classes of the gateway.
import type { Response } from '#http'
import type { ResultShape } from '#scripts'
import { type ScriptOptions, scriptOf } from './evaluate-script.ts'

/** The result of a Groovy script, as JSON; a failure as its text. */
export async function groovyValue(
  source: string,
  options: ScriptOptions = {},
  shape: ResultShape = 'json',
): Promise<unknown> {
  try {
    const value = await scriptOf(source, { ...options, language: 'groovy' }).evaluate(shape)
    return value === undefined ? null : JSON.parse(JSON.stringify(value))
  } catch (error) {
    return String(error)
  }
}

/** Status, fields and text of the response of a Groovy script. */
export async function groovyResponse(source: string, options: ScriptOptions = {}): Promise<string> {
  const script = scriptOf(source, { ...options, language: 'groovy' })
  const response = (await script.evaluate('response')) as Response
  await response.body.read(100_000)
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  return [String(response.status), ...fields, response.body.text()].join(' | ')
}
