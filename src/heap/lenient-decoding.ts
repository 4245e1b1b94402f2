import { isPlainObject, parsePointer } from '#json'
import { type Decoding, decode, type Field, type Problem, UNKNOWN_MEMBER } from '#schema'

/** End of a warning about an unknown field that is ignored. */
export const IGNORED_BY_SETTING = '; ignored, since unknownFields of admin.json is "warn"'

/** Decodes without the unknown fields, which become warnings (`unknownFields` of admin.json). */
export function decodeLeniently(field: Field, json: unknown, pointer: string): Decoding<unknown> {
  const strict = decode(field, json, pointer)
  const unknown = strict.problems.filter(({ message }) => message.startsWith(UNKNOWN_MEMBER))
  if (unknown.length === 0) return strict
  const paths = unknown.map((problem) => parsePointer(problem.pointer.slice(pointer.length)) ?? [])
  const lenient = decode(field, without(json, paths), pointer)
  const warnings = [...lenient.warnings, ...unknown.map(asWarning)]
  return { ...lenient, warnings } as Decoding<unknown>
}

function asWarning({ pointer, message }: Problem): Problem {
  return { pointer, message: message + IGNORED_BY_SETTING }
}

/** A copy without the members at the paths. */
function without(json: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0) return json
  const below = (key: string) => paths.filter(([first]) => first === key).map(([, ...rest]) => rest)
  if (Array.isArray(json)) return json.map((item, at) => without(item, below(String(at))))
  if (!isPlainObject(json)) return json
  const entries = Object.entries(json).filter(([key]) => !below(key).some((rest) => rest.length === 0))
  return Object.fromEntries(entries.map(([key, value]) => [key, without(value, below(key))]))
}
