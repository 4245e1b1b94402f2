import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurably } from '#files'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { type ClearText, clearTextOf } from '#schema'
import type { Change } from './documents/change.ts'

const RIGHTS = { file: 0o600, folder: 0o700 }

/** Moves secrets in clear text from documents to files of the folder `secrets` of an instance, one for each. */
export class MovedSecrets {
  readonly #directory: string
  readonly #moved = new Map<string, string>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Ids of the secrets that are not yet in a file. */
  get ids(): string[] {
    return [...this.#moved.keys()].filter((id) => this.#existing(id) === null)
  }

  /** The change with a store of files in place of each store in clear text. */
  readonly substitute = (change: Change): Change => {
    if (change.kind !== 'members') return change
    const values = this.#moveMembers(Object.fromEntries(change.members.map(({ name, value }) => [name, value])))
    return { ...change, members: change.members.map((each) => ({ ...each, value: values[each.name] as JsonValue })) }
  }

  async write(): Promise<void> {
    for (const id of this.ids) await writeDurably(this.#directory, id, this.#moved.get(id) as string, RIGHTS)
  }

  /** Moves the secrets of an object, and sets the ids that its other members have for them. */
  #moveMembers(members: JsonObject): JsonObject {
    const renamed = new Map<string, string>()
    const entries = Object.entries(members).map(([name, value]) => [name, this.#replaced(value, renamed)] as const)
    if (entries.every(([name, value]) => value === members[name])) return members
    return Object.fromEntries(entries.map(([name, value]) => [name, withIds(value as JsonValue, renamed)]))
  }

  /** The same value where it has no secret in clear text. */
  #replaced(value: JsonValue, renamed: Map<string, string>): JsonValue {
    const clear = clearTextOf(value)
    if (clear !== null) return this.#storeFor(clear, renamed) ?? value
    if (Array.isArray(value)) {
      const items = value.map((each) => this.#replaced(each, renamed))
      return items.every((each, at) => each === value[at]) ? value : items
    }
    return isPlainObject(value) ? this.#moveMembers(value as JsonObject) : value
  }

  /** The provider of the moved secret; null for an expression, which has its secret from elsewhere. */
  #storeFor({ secretId, value, others, isKey }: ClearText, renamed: Map<string, string>): JsonValue | null {
    if (typeof value !== 'string' || /[$#&]\{/.test(value)) return null
    const id = this.#idFor(secretId, value)
    if (id !== secretId) renamed.set(secretId, id)
    return isKey ? storeOfKey(id) : storeOfFiles(others.map((each) => this.#replaced(each, renamed)))
  }

  /** An id whose file is free, or has this secret already. */
  #idFor(wanted: ClearText['secretId'], secret: string): string {
    for (let number = 1; ; number++) {
      const id = number === 1 ? wanted : `${wanted}-${number}`
      const existing = this.#moved.get(id) ?? this.#existing(id)
      if (existing !== null && existing !== secret) continue
      this.#moved.set(id, secret)
      return id
    }
  }

  #existing(id: string): string | null {
    const path = join(this.#directory, id)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
}

/** A relative directory starts at the instance. */
const STORE: JsonObject = { type: 'FileSystemSecretStore', config: { directory: 'secrets', format: 'PLAIN' } }

function storeOfKey(secretId: string): JsonObject {
  const format = { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } }
  return {
    type: 'FileSystemSecretStore',
    config: { directory: 'secrets', format: 'PLAIN', mappings: [{ secretId, format }] },
  }
}

function storeOfFiles(others: readonly JsonValue[]): JsonValue {
  return others.length === 0 ? STORE : { type: 'SecretsProvider', config: { stores: [STORE, ...others] } }
}

/** Replaces ids in a member that a conversion set, or in the members of an object such as `agent`. */
function withIds(value: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return renamed.get(value) ?? value
  if (renamed.size === 0 || !isPlainObject(value) || typeof value['type'] === 'string') return value
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    typeof each === 'string' ? (renamed.get(each) ?? each) : each,
  ])
  return Object.fromEntries(entries) as JsonObject
}
