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

/** Reads the schemas of a folder; none where it does not exist. Throws TopicSchemaError with file and reason. */
export function readTopicSchemas(directory: string): ReadonlyMap<string, CustomTopic> {
  const topics = new Map<string, CustomTopic>()
  for (const file of schemaFiles(directory)) {
    const [, name = ''] = FILE.exec(file) ?? []
    if (name === '') continue
    const fail = (reason: string): never => {
      throw new TopicSchemaError(`${join(directory, file)}: ${reason}`)
    }
    if (!isTopicName(name)) fail('the name of a topic has letters, digits, "-" and "_" and begins with a letter')
    topics.set(name, readTopic(name, join(directory, file), fail))
  }
  return topics
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

function readTopic(name: string, path: string, fail: (reason: string) => never): CustomTopic {
  let value: JsonValue
  try {
    value = readDocument(readFileSync(path, 'utf8')).value as JsonValue
  } catch (error) {
    return fail((error as Error).message)
  }
  if (!isPlainObject(value) || !isPlainObject(value['schema'])) {
    return fail('expected an object { "schema": { ... }, "filterPolicies": { ... }, "required": [ ... ] }')
  }
  const { schema, required = [] } = value
  if (!isTextList(required)) return fail('/required: expected a list of field names')
  const usable = usableSchema(schema as JsonObject, (pointer, reason) => fail(`/schema${pointer}: ${reason}`))
  const own = (usable['required'] ?? []) as string[]
  const topic: CustomTopic = {
    name,
    schema: { ...usable, required: [...new Set([...EVENT_FIELDS, ...own, ...required])] },
    ...fieldPolicies(value as JsonObject, fail),
  }
  try {
    eventCheck(topic)
  } catch (error) {
    return fail((error as Error).message)
  }
  return topic
}

function fieldPolicies(
  { filterPolicies = {} }: JsonObject,
  fail: (reason: string) => never,
): Pick<CustomTopic, 'includeIf' | 'excludeIf'> {
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
