import type { TemporaryStorage } from '#http'
import { kind } from '#schema'

/** Where bodies are buffered: memory, then a file, then a refusal. */
export const TemporaryStorageKind = kind<TemporaryStorage>('TemporaryStorage')
