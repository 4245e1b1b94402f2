import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Schema, Validator } from '@cfworker/json-schema'
import type { AuditTopic } from '#contracts'
import { isPlainObject, type JsonObject, type JsonValue, readDocument } from '#json'
import { isTopicName } from '../event.ts'
import { draftOf, usableSchema } from './usable-schema.ts'

/** A topic with a schema of its own, from a file `<topic>.json`. */
export interface CustomTopic extends AuditTopic {
  /** Pointers of fields that are written; relative to the event. */
  readonly includeIf: readonly string[]
  readonly excludeIf: readonly string[]
}

/** Fields that every event has. */
export const EVENT_FIELDS: readonly string[] = ['_id', 'timestamp', 'transactionId', 'eventName']

const FILE = /^(.+)\.json$/

/** A schema file that can not be used. */
export class TopicSchemaError extends Error {
  override readonly name = 'TopicSchemaError'
}

/** Schemas of a folder. */
interface TopicSchemas {
  readonly topics: ReadonlyMap<string, CustomTopic>
  /** Mistakes that do no harm, with their files. */
  readonly warnings: readonly string[]
}

/**
 * Reads the schemas of a folder; none where it does not exist. A file that can not be used is a TopicSchemaError, with file and
 * reason, for a topic in `used`. Otherwise it may be a sample, or one of another service: a warning.
 */
export function readTopicSchemas(directory: string, used: ReadonlySet<string>): TopicSchemas {
  const topics = new Map<string, CustomTopic>()
  const warnings: string[] = []
  for (const file of schemaFiles(directory)) {
    const [, name = ''] = FILE.exec(file) ?? []
    if (name === '') continue
    const at = `${join(directory, file)}: `
    try {
      topics.set(
        name,
        readTopic(name, join(directory, file), (reason) => warnings.push(at + reason)),
      )
    } catch (error) {
      if (!(error instanceof TopicSchemaError)) throw error
      error.message = at + error.message
      if (used.has(name)) throw error
      warnings.push(`${error.message}; no event handler has the topic "${name}"`)
    }
  }
  return { topics, warnings }
}

/** Why an event violates its schema, without values of the event; null where it does not. */
export type EventCheck = (event: JsonObject) => string | null

/** Compiles a schema. Throws TopicSchemaError for one that the validator can not use. */
export function eventCheck({ name, schema }: AuditTopic): EventCheck {
  let validator: Validator
  try {
    validator = new Validator(schema as Schema, draftOf(schema))
    validator.validate({})
  } catch (error) {
    throw new TopicSchemaError(`the schema of the topic ${name} can not be used: ${(error as Error).message}`)
  }
  return (event) => {
    const { valid, errors } = validator.validate(event)
    if (valid) return null
    const { instanceLocation, keyword } = errors.at(-1)!
    return `${instanceLocation.replace(/^#/, '') || '/'}: does not satisfy "${keyword}"`
  }
}

function schemaFiles(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new TopicSchemaError(`${directory}: ${(error as Error).message}`)
  }
}

function fail(reason: string): never {
  throw new TopicSchemaError(reason)
}

function readTopic(name: string, path: string, warn: (reason: string) => void): CustomTopic {
  if (!isTopicName(name)) fail('the name of a topic has letters, digits, "-" and "_" and begins with a letter')
  const value = contentOf(path)
  if (!isPlainObject(value) || !isPlainObject(value['schema'])) {
    return fail('expected an object { "schema": { ... }, "filterPolicies": { ... }, "required": [ ... ] }')
  }
  const { schema, required = [] } = value
  if (!isTextList(required)) return fail('/required: expected a list of field names')
  const usable = usableSchema(schema as JsonObject, {
    fail: (pointer, reason) => fail(`/schema${pointer}: ${reason}`),
    warn: (pointer, reason) => warn(`/schema${pointer}: ${reason}`),
  })
  const own = (usable['required'] ?? []) as string[]
  const topic: CustomTopic = {
    name,
    schema: { ...usable, required: [...new Set([...EVENT_FIELDS, ...own, ...required])] },
    ...fieldPolicies(value as JsonObject),
  }
  eventCheck(topic)
  return topic
}

function contentOf(path: string): JsonValue {
  try {
    return readDocument(readFileSync(path, 'utf8')).value as JsonValue
  } catch (error) {
    return fail((error as Error).message)
  }
}

function fieldPolicies({ filterPolicies = {} }: JsonObject): Pick<CustomTopic, 'includeIf' | 'excludeIf'> {
  const field = isPlainObject(filterPolicies) ? (filterPolicies['field'] ?? {}) : null
  if (!isPlainObject(field)) return fail('/filterPolicies/field: expected an object { "includeIf", "excludeIf" }')
  const { includeIf = [], excludeIf = [] } = field
  for (const [key, pointers] of Object.entries({ includeIf, excludeIf })) {
    if (!isTextList(pointers) || pointers.some((pointer) => !pointer.startsWith('/'))) {
      return fail(`/filterPolicies/field/${key}: expected a list of JSON pointers such as "/amount"`)
    }
  }
  return { includeIf: includeIf as string[], excludeIf: excludeIf as string[] }
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
