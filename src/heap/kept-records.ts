import { parseJson } from '#json'
import type { KeptRecord, KeptRecords, RecordChange } from '#schema'
import type { World } from './world.ts'

/**
 * Records of one space, kept by the control plane. Their values cross threads as JSON text: the copy that messages make of
 * an object would lose numbers that are no doubles.
 */
export function keptRecords(world: World, space: string): KeptRecords {
  return {
    read: async (key, lifetime) => opened(await world.record(space, key, { step: 'read', lifetime: lifetime ?? null })),
    change: async (key, change, lifetime) => {
      await world.record(space, key, { step: 'change', change: written(change), lifetime })
    },
    amend: async (key, change, lifetime) => {
      await world.record(space, key, { step: 'amend', change: written(change), lifetime })
    },
    take: async (key) => opened(await world.record(space, key, { step: 'take' })),
    obtain: async (key, initial, lifetime) =>
      opened(await world.record(space, key, { step: 'obtain', initial: texts(initial), lifetime })) as KeptRecord,
  }
}

function written({ set, ...change }: RecordChange): RecordChange {
  return set === undefined ? change : { ...change, set: texts(set) }
}

function texts(record: KeptRecord): KeptRecord {
  const written: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(record)) {
    const text = JSON.stringify(record[name])
    if (text !== undefined) written[name] = text
  }
  return written
}

function opened(record: KeptRecord | null): KeptRecord | null {
  if (record === null) return null
  const values: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(record)) values[name] = parseJson(record[name] as string)
  return values
}
