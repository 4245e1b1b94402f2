import { type JsonObject, setOwn } from '#json'
import { jsonText } from '#logging'

/** Characters of the JSON of all entries: handlers refuse events that are too long, and the request would have none. */
const MAX_CHARACTERS = 65_536
/** Characters of a text among entries that are too long together. */
const MAX_TEXT = 1_024

/** Custom entries of an event, which may be texts of the client, in a bounded size. */
interface BoundedExtension {
  readonly entries: JsonObject
  /** Whether entries were truncated or left out. */
  readonly isTruncated: boolean
}

/** Entries that are too long together: their texts are truncated, and those that do not fit then are left out. */
export function boundedExtension(extension: JsonObject): BoundedExtension {
  if (jsonText(extension).length <= MAX_CHARACTERS) return { entries: extension, isTruncated: false }
  const entries: JsonObject = {}
  let left = MAX_CHARACTERS
  for (const [key, value] of Object.entries(extension)) {
    const kept = typeof value === 'string' ? value.slice(0, MAX_TEXT) : value
    const length = jsonText(key).length + jsonText(kept).length
    if (length > left) continue
    left -= length
    setOwn(entries, key, kept)
  }
  return { entries, isTruncated: true }
}
