import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '#json'

/** A hash of the canonical content. */
export function contentRevision(content: JsonObject): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 32)
}
