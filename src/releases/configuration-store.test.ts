import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Authorship,
  type ConfigurationStore,
  contentOf,
  type FileChange,
  type Snapshot,
  type StoredFile,
  type WriteOutcome,
} from '#releases'

/** The least that fulfils the interface: what callers may rely on with any store. */
function memoryStore(): ConfigurationStore {
  const files = new Map<string, StoredFile>()
  const followers = new Set<() => void>()
  let state = 0
  return {
    read: async (): Promise<Snapshot | null> => (state === 0 ? null : { state: `${state}`, files: new Map(files) }),
    follow(changed) {
      followers.add(changed)
      return { [Symbol.dispose]: () => followers.delete(changed) }
    },
    async write(changes: readonly FileChange[], _by: Authorship): Promise<WriteOutcome> {
      const other = changes.find(({ path, before }) => (files.get(path)?.hash ?? null) !== before)
      if (other !== undefined) return { state: 'conflict', path: other.path }
      for (const { path, after } of changes) {
        if (after === null) files.delete(path)
        else files.set(path, stored(after))
      }
      state++
      for (const changed of followers) changed()
      return { state: 'done' }
    },
  }
}

function stored(after: Buffer | string): StoredFile {
  const { hash, bytes, data } = contentOf(after)
  return { hash, bytes, content: async () => data }
}

test('a write names the content that it replaces, and a follower learns of it', async () => {
  const store = memoryStore()
  let changes = 0
  using _ = store.follow(() => changes++)
  const by = { author: 'demo', note: null }
  assert.equal(await store.read(), null)
  const path = 'config/routes/shop.json'
  assert.equal((await store.write([{ path, before: null, after: '{}' }], by)).state, 'done')
  assert.deepEqual(await store.write([{ path, before: null, after: '[]' }], by), { state: 'conflict', path })
  const file = (await store.read())?.files.get(path)
  assert.equal(file?.hash, contentOf('{}').hash)
  assert.equal(String(await file?.content()), '{}')
  assert.equal(changes, 1)
})
