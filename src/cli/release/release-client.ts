import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '#json'
import type { ManagementClient } from '../management/management-client.ts'

const RELEASES = '/api/system/releases'
const INSTANCES = '/api/system/instances'

/** Milliseconds for a release to be built by the gateway and stored. */
const BUILD_TIMEOUT = 10 * 60_000

/** Files that are asked for in one request. */
const FILES_EACH = 2_000

/** A release, as the management API shows it. */
export interface Release {
  readonly _id: string
  readonly parent: number | null
  readonly author: string
  readonly created: string
  readonly note: string | null
  readonly files: number
  readonly bytes: number
  readonly stage: Readonly<Record<string, string>> | null
  readonly current: boolean
  readonly problem?: string
  /** No release was made: this one has the same files. */
  readonly unchanged?: boolean
}

/** An instance, as it reports itself. */
export interface Instance {
  readonly _id: string
  readonly version: string
  readonly address: string
  readonly labels: Readonly<Record<string, string>>
  readonly wanted: number | null
  readonly served: number | null
  readonly state: string
  readonly problems: readonly { readonly file: string; readonly pointer?: string; readonly message: string }[]
  readonly since: string
}

/** Hash and size of a file in a release. */
export interface ReleasedFile {
  readonly sha256: string
  readonly bytes: number
}

/** A change of what instances serve. */
type ReleaseAction = 'deploy' | 'promote' | 'drop'

/** A release to make; contents that the gateway has are sent as their hash. */
interface NewRelease {
  readonly files: ReadonlyMap<string, Buffer>
  /** Hashes of the current release, whose contents are not sent. */
  readonly known: ReadonlySet<string>
  readonly note: string | null
  readonly only: Readonly<Record<string, string>> | null
  readonly parent: number | null
}

/** Releases and instances of the store of a running gateway. */
export class ReleaseClient {
  readonly #client: ManagementClient

  constructor(client: ManagementClient) {
    this.#client = client
  }

  get address(): string {
    return this.#client.address
  }

  /** The newest first. */
  async list(): Promise<Release[]> {
    return (await Array.fromAsync(this.#client.query(RELEASES, []))) as unknown as Release[]
  }

  async read(number: string): Promise<Release> {
    return (await this.#client.read(`${RELEASES}/${number}`)) as unknown as Release
  }

  /** The release that instances serve which serve no staged one; null where the store has none. */
  async current(): Promise<Release | null> {
    return (await this.list()).find(({ current }) => current) ?? null
  }

  async files(number: string): Promise<ReadonlyMap<string, ReleasedFile>> {
    const { files } = await this.#client.act(`${RELEASES}/${number}?_action=files`, {})
    return new Map(Object.entries(files as unknown as Record<string, ReleasedFile>))
  }

  /** Contents of files of a release, in several responses where they are large. */
  async *contents(number: string, paths: readonly string[]): AsyncGenerator<readonly [path: string, content: Buffer]> {
    let pending = [...paths]
    while (pending.length > 0) {
      const asked = pending.splice(0, FILES_EACH)
      const { files, left } = await this.#client.act(`${RELEASES}/${number}?_action=contents`, { paths: asked })
      for (const [path, content] of Object.entries(files as JsonObject)) yield [path, contentOf(content)] as const
      pending = [...(left as string[]), ...pending]
    }
  }

  async create({ files, known, note, only, parent }: NewRelease): Promise<Release> {
    const contents = [...files].map(([path, data]) => [path, sentContent(data, known)] as const)
    const body = { files: Object.fromEntries(contents), note, parent, ...(only !== null && { only }) }
    return (await this.#client.act(`${RELEASES}?_action=create`, body, BUILD_TIMEOUT)) as unknown as Release
  }

  async act(action: ReleaseAction, number: string): Promise<Release> {
    return (await this.#client.act(`${RELEASES}/${number}?_action=${action}`, {}, BUILD_TIMEOUT)) as unknown as Release
  }

  async adopt(empty: boolean): Promise<JsonObject> {
    return this.#client.act(`${RELEASES}?_action=adopt`, empty ? { empty } : {}, BUILD_TIMEOUT)
  }

  async instances(): Promise<Instance[]> {
    return (await Array.fromAsync(this.#client.query(INSTANCES, []))) as unknown as Instance[]
  }
}

/** SHA-256 of a content, by which releases know it. */
export function hashOf(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

/** The text of a content; null for one that is not UTF-8. */
export function textOf(data: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
  } catch {
    return null
  }
}

function sentContent(data: Buffer, known: ReadonlySet<string>): JsonValue {
  const sha256 = hashOf(data)
  if (known.has(sha256)) return { sha256 }
  return textOf(data) ?? { base64: data.toString('base64') }
}

function contentOf(value: JsonValue | undefined): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from((value as { base64: string }).base64, 'base64')
}
