import { BodyTooLargeError } from './body-errors.ts'
import { DEFAULT_ENTITY_LIMITS, type EntityLimits } from './entity-limits.ts'
import { MemoryContent } from './memory-content.ts'
import type { StoredContent } from './stored-content.ts'
import { TemporaryFile } from './temporary-file.ts'

/** Stores content in chunks; throws BodyTooLargeError at the chunk that exceeds the limit. */
export interface StorageWriter {
  /** Null when the chunk is stored; otherwise a promise to await before the next one. */
  write(chunk: Uint8Array): Promise<void> | null
  /** All content; bytes where it is in memory. */
  finish(): Promise<Uint8Array | StoredContent>
  discard(): void
}

/** Limits of a storage, in bytes, and the directory of its files. */
export interface StorageLimits {
  readonly initialLength: number
  readonly memoryLimit: number
  readonly fileLimit: number
  readonly directory: string
}

/** Buffers bodies in memory, then in a file, then throws BodyTooLargeError. */
export class TemporaryStorage {
  readonly limits: StorageLimits
  /** Limits for buffered bodies in expressions and scripts. */
  readonly entityLimits: EntityLimits

  constructor(limits: StorageLimits, entityLimits: EntityLimits = DEFAULT_ENTITY_LIMITS) {
    this.limits = limits
    this.entityLimits = entityLimits
  }

  /** Largest body in bytes. */
  get limit(): number {
    return Math.max(this.limits.memoryLimit, this.limits.fileLimit)
  }

  open(): StorageWriter {
    return new SpillingWriter(this.limits, this.limit)
  }
}

/** A writer that stays in memory. */
export function memoryWriter(limit: number): StorageWriter {
  return new SpillingWriter(
    { initialLength: Math.min(limit, 8192), memoryLimit: limit, fileLimit: limit, directory: '' },
    limit,
  )
}

class SpillingWriter implements StorageWriter {
  readonly #limits: StorageLimits
  readonly #limit: number
  #memory: MemoryContent
  #file: TemporaryFile | null = null
  #tail: Promise<void> = Promise.resolve()
  #length = 0

  constructor(limits: StorageLimits, limit: number) {
    this.#limits = limits
    this.#limit = limit
    this.#memory = new MemoryContent(limits.initialLength, limits.memoryLimit)
  }

  write(chunk: Uint8Array): Promise<void> | null {
    if (chunk.length === 0) return null
    this.#length += chunk.length
    if (this.#length > this.#limit) throw new BodyTooLargeError(this.#limit)
    if (this.#file === null) {
      if (this.#length <= this.#limits.memoryLimit) {
        this.#memory.append(chunk)
        return null
      }
      const file = new TemporaryFile(this.#limits.directory)
      const begun = this.#memory.bytes()
      this.#file = file
      this.#memory = new MemoryContent(0, 0)
      this.#tail = file.open().then(() => file.append(begun))
    }
    const file = this.#file
    this.#tail = this.#tail.then(() => file.append(chunk))
    return this.#tail
  }

  async finish(): Promise<Uint8Array | StoredContent> {
    await this.#tail
    return this.#file ?? this.#memory.bytes()
  }

  discard(): void {
    this.#memory = new MemoryContent(0, 0)
    this.#file?.dispose()
  }
}
