import { parseJson } from '#json'
import type { RecordChange, SharedRecord, SharedStore } from '#schema'

/**
 * A store whose values are sent between threads as JSON text: structured clone would lose numbers that are not doubles.
 */
export function jsonStore(texts: SharedStore): SharedStore {
  return {
    get: async (key, lifetime) => parsed(await texts.get(key, lifetime)),
    update: (key, change, lifetime) => texts.update(key, written(change), lifetime),
    updateIfPresent: (key, change, lifetime) => texts.updateIfPresent(key, written(change), lifetime),
    getAndDelete: async (key) => parsed(await texts.getAndDelete(key)),
    getOrCreate: async (key, initial, lifetime) =>
      parsed(await texts.getOrCreate(key, textsOf(initial), lifetime)) as SharedRecord,
  }
}

function written({ set, ...change }: RecordChange): RecordChange {
  return set === undefined ? change : { ...change, set: textsOf(set) }
}

function textsOf(record: SharedRecord): SharedRecord {
  const written: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(record)) {
    const text = JSON.stringify(record[name])
    if (text !== undefined) written[name] = text
  }
  return written
}

function parsed(record: SharedRecord | null): SharedRecord | null {
  if (record === null) return null
  const values: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(record)) values[name] = parseJson(record[name] as string)
  return values
}
