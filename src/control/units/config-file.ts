import { join } from 'node:path'
import { readIfPresent } from '#instance'
import { documentText, isPlainObject, JsonDocument, readDocument } from '#json'
import { ConfigError } from '#schema'

/** Path of config.json in its folder. */
export function configFile(folder: string): string {
  return join(folder, 'config.json')
}

/** Text of config.json; null without one. */
export function configText(folder: string): string | null {
  return readIfPresent(configFile(folder))?.toString('utf8') ?? null
}

/** A JSON file of the instance; where it does not exist, an empty object or the given document. */
export function readConfigFile(path: string, otherwise = new JsonDocument('{}', {})): JsonDocument {
  const bytes = readIfPresent(path)
  if (bytes === null) return otherwise
  const document = readDocument(documentText(bytes))
  if (!isPlainObject(document.value)) throw new ConfigError([{ pointer: '', message: 'expected a JSON object' }])
  return document
}
