import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const NAME = /^[0-9a-f]{16}\.pack$/
const MAGIC = Buffer.from('gateway contents 1\n')
/** Bytes of a hash, and of the length of a content. */
const HASH_BYTES = 32
const HEADER = HASH_BYTES + 4
/** Bytes that are written at a time. */
const CHUNK = 1024 * 1024

/** Routes may contain secrets. */
export const CONTENT_MODE = 0o640

/** Where a content is in a pack. */
export interface PackedContent {
  readonly pack: string
  readonly offset: number
  readonly bytes: number
}

export function isPackName(name: string): boolean {
  return NAME.test(name)
}

/**
 * Writes many contents to one file, with one sync for all of them: a file and a sync for each costs a large release most of its time.
 * The file gets its name when it is complete and synced, so that a crash leaves a temporary file at most.
 */
export class PackWriter {
  readonly name = `${randomBytes(8).toString('hex')}.pack`
  readonly places = new Map<string, PackedContent>()
  readonly #directory: string
  readonly #temporary: string
  readonly #file: FileHandle
  #pending: Buffer[] = [MAGIC]
  #pendingBytes = MAGIC.length
  #end = MAGIC.length

  private constructor(directory: string, temporary: string, file: FileHandle) {
    this.#directory = directory
    this.#temporary = temporary
    this.#file = file
  }

  static async create(directory: string): Promise<PackWriter> {
    const temporary = join(directory, `${randomBytes(8).toString('hex')}.tmp`)
    return new PackWriter(directory, temporary, await open(temporary, 'wx', CONTENT_MODE))
  }

  async add(hash: string, data: Buffer): Promise<void> {
    const header = Buffer.alloc(HEADER)
    header.write(hash, 'hex')
    header.writeUInt32BE(data.length, HASH_BYTES)
    this.#pending.push(header, data)
    this.#pendingBytes += HEADER + data.length
    this.places.set(hash, { pack: this.name, offset: this.#end + HEADER, bytes: data.length })
    this.#end += HEADER + data.length
    if (this.#pendingBytes >= CHUNK) await this.#flush()
  }

  /** When it resolves, and the folder is synced, the contents survive a crash. */
  async finish(): Promise<void> {
    try {
      await this.#flush()
      await this.#file.sync()
    } finally {
      await this.#file.close()
    }
    await rename(this.#temporary, join(this.#directory, this.name))
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#temporary, { force: true })
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    await this.#file.writeFile(bytes)
  }
}

/** The contents of a pack by their hashes; those before the damage where it is damaged. Their bytes are not checked. */
export async function packedContents(directory: string, pack: string): Promise<Map<string, PackedContent>> {
  const found = new Map<string, PackedContent>()
  const bytes = await readFile(join(directory, pack)).catch((error: NodeJS.ErrnoException) => {
    // Removed by the process that owns it.
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return found
  for (let at = MAGIC.length; at + HEADER <= bytes.length; ) {
    const length = bytes.readUInt32BE(at + HASH_BYTES)
    const offset = at + HEADER
    if (offset + length > bytes.length) break
    found.set(bytes.toString('hex', at, at + HASH_BYTES), { pack, offset, bytes: length })
    at = offset + length
  }
  return found
}
