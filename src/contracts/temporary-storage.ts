import type { TemporaryStorage } from '#http'
import { kind } from '#schema'

/** Buffers bodies in memory, then in a file, up to a limit. */
export const TemporaryStorageKind = kind<TemporaryStorage>('TemporaryStorage')
