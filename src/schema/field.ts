import type { FieldMigration } from './field-migration.ts'
import type { Kind } from './kind.ts'
import type { OlderSpelling } from './older-spelling.ts'
import { shown } from './problem.ts'

/** A JSON Schema fragment. */
export type JsonSchema = Record<string, unknown>

/** Renders the JSON Schema of a nested field. */
export type RenderSchema = (field: Field) => JsonSchema

/** Type, JSON Schema and nested fields of a field. */
interface FieldShape {
  /** Type name on reference pages. */
  readonly label: string
  readonly schema: (render: RenderSchema) => JsonSchema
  /** The schema in whole files, where it is more exact than in forms. */
  readonly fileSchema?: JsonSchema
  /** Fields below this one, for linting and documentation. */
  readonly members?: Readonly<Record<string, Field>>
  readonly item?: Field
  /** For lists: whether null elements are left out. */
  readonly skipsNull?: boolean
  readonly entries?: Field
  readonly inner?: Field
  /** For references: the accepted kinds of objects. */
  readonly kinds?: readonly Kind[]
  /** For references: the key that has the type of an object in place; `type` by default. */
  readonly typeKey?: string
  /** For optional fields: makes the value where none is given. */
  readonly absent?: () => unknown
  /** For enumerated values: whether any case is accepted. */
  readonly isAnyCase?: boolean
  /** Whether the value is the id of a secret that the object looks up. */
  readonly namesSecret?: boolean
  /** Whether the value names a file in the folder of secrets. */
  readonly namesSecretFile?: boolean
  /** Fields by the shape of the JSON: `array`, `object`, `string`, `boolean`, `number`. */
  readonly branches?: ReadonlyMap<string, Field>
  /** For objects: fields of other dialects. */
  readonly older?: readonly OlderSpelling[]
  /** For objects: conversions of deprecated fields in files. */
  readonly migrations?: readonly FieldMigration[]
  readonly rules?: readonly { readonly text: string }[]
}

/** Notes of the author about a field, given with `.meta()`. */
interface FieldNotes {
  readonly description?: string
  /** Set for a deprecated field: its replacement. */
  readonly replacement?: string
  /** Set for a field that is accepted without effect: the reason. */
  readonly unsupported?: string
  /** The value is a secret: never shown. */
  readonly secret?: boolean
}

export interface FieldInfo {
  readonly shape: FieldShape
  readonly notes: FieldNotes
  readonly required: boolean
  /** The default as a user would write it. */
  readonly defaultValue: unknown
}

/** Reports a problem of the value being decoded, at a path below it. */
export type Report = (message: string, path?: readonly (string | number)[]) => void

/** Returns the decoded value, or reports. */
type Read<T> = (value: unknown, report: Report) => T | undefined

/**
 * A field of a configuration: decodes JSON to a value of type T, and describes itself. Immutable: each method returns a new
 * field.
 */
export class Field<T = unknown> {
  readonly info: FieldInfo
  readonly #read: Read<T>

  constructor(info: FieldInfo, read: Read<T>) {
    this.info = info
    this.#read = read
  }

  optional(): Field<T | undefined> {
    return new Field<T | undefined>({ ...this.info, required: false }, this.#read)
  }

  /** The default, as a user would write it: it is decoded like any other value. */
  default(defaultValue: unknown): Field<T> {
    return new Field({ ...this.info, required: false, defaultValue }, this.#read)
  }

  meta(notes: FieldNotes): Field<T> {
    return new Field({ ...this.info, notes: { ...this.info.notes, ...notes } }, this.#read)
  }

  /** Decodes a value; `undefined` where something was reported. */
  decode(value: unknown, report: Report): T | undefined {
    const { shape, required, defaultValue } = this.info
    const given = value === undefined ? defaultValue : value
    if (given === undefined) {
      if (!required) return shape.absent?.() as T | undefined
      report(`expected ${shape.label}; this field is required`)
      return undefined
    }
    const problems: Parameters<Report>[] = []
    const decoded = this.#read(given, (...problem) => problems.push(problem))
    if (problems.length === 0) return decoded
    const other = this.#reshaped(given)
    if (other !== undefined) return this.#read(other, report)
    for (const problem of problems) report(...problem)
    return undefined
  }

  /** The shape that a value is decoded in, where that is another than its own: a list for one value, or one value for a list. */
  reshaped(value: unknown): 'a list' | 'one value' | null {
    const { item, branches } = this.info.shape
    const mayDiffer = Array.isArray(value) ? item === undefined && !branches?.has('array') : item !== undefined
    if (!mayDiffer || this.#reads(value) || this.#reshaped(value) === undefined) return null
    return Array.isArray(value) ? 'one value' : 'a list'
  }

  /** Files of other dialects have a list where one value is expected, or one value for a list. */
  #reshaped(value: unknown): unknown {
    if (Array.isArray(value)) return value.length === 1 && this.#reads(value[0]) ? value[0] : undefined
    return this.info.shape.item !== undefined && this.#reads([value]) ? [value] : undefined
  }

  #reads(value: unknown): boolean {
    let isRead = true
    this.#read(value, () => {
      isRead = false
    })
    return isRead
  }

  accepts(value: unknown): boolean {
    let accepted = true
    this.decode(value, () => {
      accepted = false
    })
    return accepted
  }
}

/** The value a field decodes to. */
export type Decoded<F> = F extends Field<infer T> ? T : never

/** Makes a required field. */
export function field<T>(shape: FieldShape, read: Read<T>): Field<T> {
  return new Field({ shape, notes: {}, required: true, defaultValue: undefined }, read)
}

/** The common form of messages. */
export function expected(what: string, value: unknown): string {
  return `expected ${what}, got ${shown(value)}`
}

/** Decodes a nested value; its problems are reported below `path`. */
export function decodeInto<T>(inner: Field<T>, value: unknown, report: Report, path: readonly (string | number)[]): T {
  return inner.decode(value, (message, below = []) => report(message, [...path, ...below])) as T
}
