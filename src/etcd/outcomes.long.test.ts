// Writes and watches while members are killed and frozen: what a client reports about a write must be true, and watches that are
// resumed deliver each change once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { EtcdMember, etcdClient, etcdMissing } from '#test/etcd'
import { put } from '#test/etcd-requests'
import { waitUntil } from '#test/waiting'
import { RetryDelay } from '#timing'
import { EtcdError } from './index.ts'

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 6)
const WRITERS = 6

/** Collects the keys of all changes, by one watch after the other. */
function follow(members: readonly EtcdMember[], keys: string[]): AsyncDisposable {
  const client = etcdClient(members, { callTimeout: 700, connectTimeout: 500, watchCheckInterval: 300 })
  const delay = new RetryDelay(20, 500)
  let from = 1n
  let isOver = false
  const watch = (): void => {
    if (isOver) return
    client.watch(
      { prefix: 'outcome/', from },
      {
        events: (events, revision) => {
          delay.reset()
          keys.push(...events.map(({ item }) => item.key))
          from = revision + 1n
        },
        progress: (revision) => {
          from = revision + 1n
        },
        ended: () => setTimeout(watch, delay.next()),
      },
    )
  }
  watch()
  return {
    [Symbol.asyncDispose]: () => {
      isOver = true
      return client[Symbol.asyncDispose]()
    },
  }
}

test('every write happened or not as its outcome says, and is watched once, in faults of all members', {
  skip: etcdMissing,
  timeout: 50_000 + ROUNDS * 10_000,
}, async (t) => {
  const members = await EtcdMember.startAll(['one', 'two', 'three'])
  await using stack = new AsyncDisposableStack()
  for (const member of members) stack.use(member)
  const followed: string[] = []
  stack.use(follow(members, followed))
  const outcomes = new Map<string, string>()
  let isOver = false
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    await using client = etcdClient(members, { callTimeout: 700, connectTimeout: 500, random: () => writer / WRITERS })
    for (let count = 0; !isOver; count++) {
      const key = `outcome/${writer}/${count}`
      try {
        const { succeeded } = await client.transact({
          compare: [{ key, createRevision: 0n }],
          success: [put(key, '1')],
        })
        outcomes.set(key, succeeded ? 'applied' : 'applied twice')
      } catch (error) {
        assert.ok(error instanceof EtcdError, String(error))
        outcomes.set(key, error.kind)
      }
    }
  })
  for (let round = 0; round < ROUNDS; round++) {
    const member = members[round % 3]!
    const second = members[(round + 1) % 3]!
    await pause(300)
    if (round % 2 === 0) await member.kill()
    else member.freeze()
    // Every third time without a majority.
    if (round % 3 === 2) second.freeze()
    await pause(1_500)
    second.thaw()
    if (round % 2 === 0) await member.restart()
    else member.thaw()
    await waitUntil('the cluster was healthy', async () =>
      (await Promise.all(members.map((each) => each.isHealthy()))).every(Boolean),
    )
  }
  isOver = true
  await Promise.all(writers)
  await using client = etcdClient(members)
  const found = new Set<string>()
  for (let after: string | undefined; ; ) {
    const page = await client.list('outcome/', { keysOnly: true, ...(after !== undefined && { after }) })
    for (const { key } of page.items) found.add(key)
    if (!page.more) break
    after = page.items.at(-1)!.key
  }
  const counts = Object.fromEntries(
    Map.groupBy(outcomes.values(), (kind) => kind)
      .entries()
      .map(([kind, all]) => [kind, all.length]),
  )
  t.diagnostic(JSON.stringify(counts))
  const wrong = [...outcomes].filter(([key, outcome]) => {
    if (outcome === 'unknown-outcome') return false
    return found.has(key) !== (outcome === 'applied')
  })
  assert.deepEqual(wrong, [])
  assert.ok((counts['applied'] ?? 0) > 100)
  assert.ok([...found].every((key) => outcomes.has(key)))
  await waitUntil('the watches had all changes', () => followed.length >= found.size)
  assert.deepEqual(followed.toSorted(), [...found].toSorted())
})
