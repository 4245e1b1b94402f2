import { createHash } from 'node:crypto'
import { type JsonObject, readDocument } from '#json'
import { DEFAULT_CONFIG } from './default-objects.ts'

/** The content of config.json; the default one without a text. */
export function configContent(text: string | null): JsonObject {
  return text === null ? DEFAULT_CONFIG : (readDocument(text).value as JsonObject)
}

/** The revision of config.json: a hash of its text. */
export function configRevision(text: string | null): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 12)
}
