import type { SharedConfiguration } from '#contracts'
import { ConfigError, type Problem } from '#schema'

/** How this gateway takes part in a fleet. */
export interface FleetSettings {
  readonly store: SharedConfiguration
  /** Null: the name of the host and a number. */
  readonly instanceId: string | null
  readonly labels: Readonly<Record<string, string>>
}

interface FleetFields {
  readonly store: SharedConfiguration | undefined
  readonly instanceId: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** Part of a key of the store and of a path of the management API. */
const INSTANCE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

const MAX_LABELS = 64
const MAX_LABEL = 256
const MIB = 1024 * 1024

/** Null without a store. Throws ConfigError with the problems of all fields. */
export function fleetSettings({ store, instanceId, labels }: FleetFields): FleetSettings | null {
  const problems: Problem[] = []
  if (instanceId !== undefined && !isInstanceId(instanceId)) {
    const got = JSON.stringify(instanceId.slice(0, 80))
    const message = `expected at most 128 letters, digits, ".", "_" and "-", the first a letter or digit; got ${got}`
    problems.push({ pointer: '/instanceId', message })
  }
  const entries = Object.entries(labels)
  if (entries.length > MAX_LABELS)
    problems.push({ pointer: '/labels', message: `expected at most ${MAX_LABELS} labels` })
  for (const [name, value] of entries) {
    if (name !== '' && name.length <= MAX_LABEL && value.length <= MAX_LABEL) continue
    const pointer = `/labels/${name.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1')}`
    problems.push({ pointer, message: `expected a name and a value of at most ${MAX_LABEL} characters` })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return store === undefined ? null : { store, instanceId: instanceId ?? null, labels: { ...labels } }
}

/** Bytes of a request that makes a release with files of so many bytes: in JSON a text may be twice as long. */
export function maxReleaseBytes(maxReleaseSize: number): number {
  return 2 * maxReleaseSize + MIB
}

export function isInstanceId(id: string): boolean {
  return INSTANCE_ID.test(id)
}
