import type { JsonSchema } from './field.ts'

/** A rule over which fields are given, and over literal values. Data, from which messages, JSON Schema and reference pages are generated. */
export interface PresenceRule {
  readonly text: string
  /** The error message; null where the rule is satisfied. */
  readonly check: (present: (field: string) => boolean, value: (field: string) => unknown) => string | null
  /** The field that a message concerns; by default the object. */
  readonly at?: string
  /** As JSON Schema; `given` is the schema of an object that has a field, under its current or an old name. */
  readonly schema: (given: (field: string) => JsonSchema) => JsonSchema
}

/** Exactly one of the fields is given. */
export function exactlyOneOf(...fields: string[]): PresenceRule {
  const text = `give exactly one of ${fields.join(', ')}`
  return {
    text,
    check: (present) => (count(fields, present) === 1 ? null : text),
    schema: (given) => ({ oneOf: fields.map(given) }),
  }
}

/** A field that is required, unless another one is given in its place. */
export function requiredUnless(field: string, other: string): PresenceRule {
  const rule = exactlyOneOf(field, other)
  const missing = `this field is required, unless ${other} is given`
  return {
    ...rule,
    at: field,
    check: (present, value) => (present(field) || present(other) ? rule.check(present, value) : missing),
  }
}

/** One or more of the fields are given. */
export function atLeastOneOf(...fields: string[]): PresenceRule {
  const text = `give at least one of ${fields.join(', ')}`
  return {
    text,
    check: (present) => (count(fields, present) >= 1 ? null : text),
    schema: (given) => ({ anyOf: fields.map(given) }),
  }
}

/** None or one of the fields is given. */
export function atMostOneOf(...fields: string[]): PresenceRule {
  const text = `give at most one of ${fields.join(', ')}`
  const pairs = fields.flatMap((a, at) => fields.slice(at + 1).map((b) => [a, b]))
  return {
    text,
    check: (present) => (count(fields, present) <= 1 ? null : text),
    schema: (given) => ({ not: { anyOf: pairs.map((pair) => ({ allOf: pair.map(given) })) } }),
  }
}

/** A field that is valid only together with others. */
export function needs(field: string, ...others: string[]): PresenceRule {
  const text = `${field} needs ${others.join(' and ')}`
  return {
    text,
    check: (present) => (!present(field) || count(others, present) === others.length ? null : text),
    schema: (given) => ({ anyOf: [{ not: given(field) }, { allOf: others.map(given) }] }),
  }
}

/** A field that is valid only together with at least one of others. */
export function needsOneOf(field: string, ...others: string[]): PresenceRule {
  const text = `${field} needs ${others.join(' or ')}`
  return {
    text,
    check: (present) => (!present(field) || count(others, present) >= 1 ? null : text),
    schema: (given) => ({ anyOf: [{ not: given(field) }, ...others.map(given)] }),
  }
}

/** A field that is required where a switch is literally on. */
export function requiredWhere(field: string, switched: string, missing: string): PresenceRule {
  const on = { required: [switched], properties: { [switched]: { enum: [true, 'true'] } } }
  return {
    text: `${field} is required where ${switched} is true`,
    at: field,
    check: (present, value) => (isOn(value(switched)) && !present(field) ? missing : null),
    schema: (given) => ({ anyOf: [{ not: on }, given(field)] }),
  }
}

function isOn(value: unknown): boolean {
  return value === true || value === 'true'
}

function count(fields: readonly string[], present: (field: string) => boolean): number {
  return fields.filter(present).length
}
