import { z } from 'zod'
import type { Kind } from './kind.ts'
import { shown } from './problem.ts'

/** A field of a configuration: decodes JSON to a value of type T, and describes itself. */
export type Field<T = unknown> = z.ZodType<T, unknown>

/** The value a field decodes to. */
export type Decoded<F> = F extends z.ZodType<infer T, unknown> ? T : never

/** A JSON Schema fragment. */
export type JsonSchema = Record<string, unknown>

/** Turns a nested field into its JSON Schema while a whole schema is made. */
export type RenderSchema = (field: Field) => JsonSchema

/** What a leaf of ours tells of itself beyond what zod knows. */
export interface FieldShape {
  /** Type as the reference pages name it. */
  readonly label: string
  readonly schema: (render: RenderSchema) => JsonSchema
  /** Fields below this one, for linting and documentation. */
  readonly members?: Readonly<Record<string, Field>>
  readonly item?: Field
  readonly entries?: Field
  readonly inner?: Field
  /** For references: the kinds of objects that are welcome. */
  readonly kinds?: readonly Kind[]
  /** Whether the value is the id of a secret that the object looks up. */
  readonly namesSecret?: boolean
  /** The fields to choose from by the shape of the JSON: `array`, `object`, `string`, `boolean`, `number`. */
  readonly branches?: ReadonlyMap<string, Field>
  readonly renamed?: Readonly<Record<string, string>>
  readonly rules?: readonly { readonly text: string }[]
}

/** What an author may say about a field with `.meta()`. */
export interface FieldNotes {
  readonly description?: string
  /** Deprecated: what to use instead. */
  readonly replacement?: string
  /** Accepted without effect: why. */
  readonly unsupported?: string
  /** Holds a secret: never shown. */
  readonly secret?: boolean
}

/** A field's shape, notes, default and whether it may be left out. */
export interface FieldInfo {
  readonly shape: FieldShape
  readonly notes: FieldNotes
  readonly required: boolean
  /** The default as a user would write it. */
  readonly fallback: unknown
}

/** Reports what is wrong with the value being decoded, at a path below it. */
export type Report = (message: string, path?: readonly (string | number)[]) => void

const SHAPE = 'x-shape'

/**
 * Makes a field. `read` returns the decoded value, or reports. All our fields are such leaves over zod, so that
 * each mistake gives one message in our words.
 */
export function field<T>(shape: FieldShape, read: (value: unknown, report: Report) => T | undefined): Field<T> {
  const schema = z.unknown().transform((value, context) => {
    let failed = false
    const report: Report = (message, path = []) => {
      failed = true
      context.issues.push({ code: 'custom', message, path: [...path], input: value })
    }
    if (value === undefined) report(`expected ${shape.label}; this field is required`)
    const decoded = failed ? undefined : read(value, report)
    return failed ? z.NEVER : (decoded as T)
  })
  return schema.meta({ [SHAPE]: shape }) as unknown as Field<T>
}

/** The usual complaint: what was expected, what was found. */
export function expected(what: string, value: unknown): string {
  return `expected ${what}, got ${shown(value)}`
}

interface Layer {
  readonly _zod: { readonly def: { type: string; innerType?: Field; defaultValue?: unknown } }
}

const known = new WeakMap<Field, FieldInfo>()

/** Everything known about a field: looks through `.optional()`, `.prefault()` and `.meta()`. */
export function fieldInfo(field: Field): FieldInfo {
  const info = known.get(field) ?? gatherInfo(field)
  known.set(field, info)
  return info
}

function gatherInfo(outer: Field): FieldInfo {
  let current: Field = outer
  let required = true
  let fallback: unknown
  let notes: FieldNotes = {}
  for (;;) {
    const meta = (current.meta() ?? {}) as FieldNotes & { [SHAPE]?: FieldShape }
    notes = { ...meta, ...notes }
    const { def } = (current as unknown as Layer)._zod
    if (def.innerType === undefined) {
      const shape = meta[SHAPE]
      if (shape === undefined) throw new TypeError('a field must be made from the words of the schema folder')
      return { shape, notes, required, fallback }
    }
    required = false
    if (def.type === 'prefault') fallback = def.defaultValue
    current = def.innerType
  }
}

/** Decodes a nested value and passes its complaints on below `path`. */
export function decodeInto<T>(inner: Field<T>, value: unknown, report: Report, path: readonly (string | number)[]): T {
  const result = inner.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) report(issue.message, [...path, ...(issue.path as (string | number)[])])
  return undefined as T
}
