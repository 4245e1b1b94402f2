import { SessionUnavailableError } from '#contracts'
import { setOwn } from '#json'
import { type RedisArgument, type RedisConnection, RedisError, RedisScript } from '#redis'
import type { RecordChange, SharedRecord, SharedStore } from '#schema'
import { SealedFields } from './sealed-fields.ts'

// Every record is a hash, so that one field changes without the others. `alive` resets the TTL of an existing record.
const ALIVE = `
local function alive(lifetime)
  if lifetime == '' then return end
  if lifetime == 'unlimited' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], lifetime) end
end
`

/** ARGV: lifetime; empty leaves the TTL unchanged. */
const READ = new RedisScript(`${ALIVE}
alive(ARGV[1])
return redis.call('HGETALL', KEYS[1])
`)

/**
 * ARGV: lifetime, whether the record must exist, whether to clear it, number of names to remove, number of fields to replace where they
 * exist, the names, then name and value of the fields to replace and of those to set.
 */
const CHANGE = new RedisScript(`${ALIVE}
if ARGV[2] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[3] == '1' then redis.call('DEL', KEYS[1]) end
local replaced = 6 + tonumber(ARGV[4])
local set = replaced + 2 * tonumber(ARGV[5])
for at = replaced, set - 1, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[at]) == 1 then redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
end
for at = 6, replaced - 1 do redis.call('HDEL', KEYS[1], ARGV[at]) end
for at = set, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
alive(ARGV[1])
return 1
`)

const GET_AND_DELETE = new RedisScript(`
local found = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1])
return found
`)

/** ARGV: lifetime, then name and value of the initial fields. */
const GET_OR_CREATE = new RedisScript(`${ALIVE}
if redis.call('EXISTS', KEYS[1]) == 0 then
  for at = 2, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
  alive(ARGV[1])
end
return redis.call('HGETALL', KEYS[1])
`)

/** Records in Redis. Each operation is one script, which Redis runs atomically. */
export class RedisStore implements SharedStore {
  readonly #redis: RedisConnection
  /** Called for a record that can not be decrypted: it was written by another client of Redis. */
  readonly #onUnreadable: () => void

  constructor(redis: RedisConnection, onUnreadable: () => void) {
    this.#redis = redis
    this.#onUnreadable = onUnreadable
  }

  async get(key: string, lifetime?: number): Promise<SharedRecord | null> {
    const fields = new SealedFields(key)
    return this.#opened(
      fields,
      await this.#run(READ, fields, [lifetime === undefined ? '' : lifetimeArgument(lifetime)]),
    )
  }

  update(key: string, change: RecordChange, lifetime: number): Promise<void> {
    return this.#change(key, change, lifetime, false)
  }

  updateIfPresent(key: string, change: RecordChange, lifetime: number): Promise<void> {
    return this.#change(key, change, lifetime, true)
  }

  async getAndDelete(key: string): Promise<SharedRecord | null> {
    const fields = new SealedFields(key)
    return this.#opened(fields, await this.#run(GET_AND_DELETE, fields, []))
  }

  async getOrCreate(key: string, initial: SharedRecord, lifetime: number): Promise<SharedRecord> {
    const fields = new SealedFields(key)
    const reply = await this.#run(GET_OR_CREATE, fields, [
      lifetimeArgument(lifetime),
      ...sealedPairs(fields, Object.keys(initial), initial),
    ])
    return this.#opened(fields, reply) ?? initial
  }

  async #change(key: string, change: RecordChange, lifetime: number, mustExist: boolean): Promise<void> {
    const fields = new SealedFields(key)
    const { clear = false, remove = [], set = {}, replaced = [] } = change
    const removed = remove.map((name) => fields.name(name))
    const flags = [mustExist ? '1' : '0', clear ? '1' : '0', removed.length, replaced.length]
    const others = Object.keys(set).filter((name) => !replaced.includes(name))
    const pairs = sealedPairs(fields, [...replaced, ...others], set)
    await this.#run(CHANGE, fields, [lifetimeArgument(lifetime), ...flags, ...removed, ...pairs])
  }

  async #run(script: RedisScript, { record }: SealedFields, args: readonly RedisArgument[]): Promise<unknown> {
    try {
      return await this.#redis.run(script, [record], args)
    } catch (cause) {
      if (!(cause instanceof RedisError)) throw cause
      throw new SessionUnavailableError('sessions can not be read from or written to Redis', { cause })
    }
  }

  /** Null for a record with an unreadable field: the session would be incomplete. */
  #opened(fields: SealedFields, reply: unknown): SharedRecord | null {
    const pairs = reply as readonly string[]
    if (pairs.length === 0) return null
    const record: Record<string, unknown> = Object.create(null)
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const opened = fields.open(pairs[at] as string, pairs[at + 1] as string)
      if (opened === null) {
        this.#onUnreadable()
        return null
      }
      setOwn(record, opened.field, opened.value)
    }
    return record
  }
}

function sealedPairs(fields: SealedFields, names: readonly string[], values: SharedRecord): string[] {
  return names.flatMap((field) => [fields.name(field), fields.seal(field, values[field])])
}

function lifetimeArgument(lifetime: number): string {
  return lifetime === Number.POSITIVE_INFINITY ? 'unlimited' : String(Math.ceil(lifetime))
}
