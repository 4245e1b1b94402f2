// One of two processes is killed at each step of a hand-over, while both claim ids that may be used once.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Folder } from '#test/folder'
import { claimIds, HandingOver, IDS, KEPT, STEPS, unitOf } from '#test/handing-over'
import { once, waitUntil } from '#test/waiting'
import { handoverPath } from './handover-socket.ts'
import type { OwnedStore } from './owned-store.ts'
import { Predecessor } from './predecessor.ts'

const CHILD = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'support', 'handing-over-child.ts')

/** The other process, and the ids that it has claimed. */
function started(
  path: string,
  role: 'old' | 'new',
  step: string,
): { child: ChildProcess; lines: string[]; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [CHILD, path, role, step], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() as string
    lines.push(...parts)
  })
  return { child, lines, ended: once(child, 'close') }
}

/** What the process that is left has: each id was claimed once, and nothing else is missing where it had all records. */
async function check(store: OwnedStore, claimed: readonly (readonly number[])[], isComplete: boolean): Promise<void> {
  const unit = unitOf(store)
  const before = claimed.flat()
  assert.equal(new Set(before).size, before.length, 'an id was claimed twice')
  const left: number[] = []
  await claimIds(store, (id) => left.push(id))
  assert.deepEqual(
    left.filter((id) => before.includes(id)),
    [],
    'an id was claimed again',
  )
  if (!isComplete) return
  // The last claim of the process that was killed may not have been written.
  const missing = IDS - before.length - left.length
  assert.ok(missing >= 0 && missing <= 1, `${missing} ids are missing`)
  for (let kept = 0; kept < KEPT; kept++) assert.notEqual(await unit.get(`kept-${kept}`), null)
}

describe('a process is killed at a step of a hand-over', { concurrency: 2, timeout: 120_000 }, () => {
  for (const step of STEPS) {
    test(`the one that is taken over, at ${step}: the other goes on`, async () => {
      using folder = new Folder()
      const path = handoverPath(folder.path)
      const { lines, ended } = started(path, 'old', step)
      await waitUntil('it serves', () => lines.includes('ready'))
      const next = await Predecessor.find(path, '1')
      assert.equal(next === null, step === 'begin')
      const own: number[] = []
      await next?.copy(() => true)
      const claims = next === null ? null : claimIds(next.store, (id) => own.push(id))
      await next?.switch().catch((error: Error) => assert.match(error.message, /ended before it answered switch/))
      await next?.filesReleased
      await Promise.all([claims, ended])
      if (next !== null)
        await check(next.store, [own, lines.slice(1).map(Number)], step !== 'some records' && step !== 'all records')
      assert.deepEqual(next === null ? await Predecessor.find(path, '1') : null, null)
    })

    test(`the one that takes over, at ${step}: the other goes on`, async () => {
      using folder = new Folder()
      const path = handoverPath(folder.path)
      using old = await HandingOver.listen(path)
      const unit = unitOf(old.store)
      for (let id = 0; id < IDS; id++) await unit.set(`once-${id}`, { id })
      for (let kept = 0; kept < KEPT; kept++) await unit.set(`kept-${kept}`, { text: 'x'.repeat(20_000) })
      const { child, lines, ended } = started(path, 'new', step)
      const own: number[] = []
      let claims: Promise<unknown> = Promise.resolve()
      old.onStep = (reached) => {
        if (reached === 'begin')
          claims = claimIds(old.store, (id) => own.push(id)).catch((error: Error) => error.message)
        if (reached === step) child.kill('SIGKILL')
      }
      await ended
      const failure = await claims
      // At the moment of the switch it may have been first.
      if (old.steps.includes('leave')) {
        assert.ok(step === 'leave' || step === 'give')
        assert.match(String(failure), /can not be reached|undefined/)
        return
      }
      await check(old.store, [own, lines.map(Number)], true)
      old.onStep = () => {}
      const next = (await Predecessor.find(path, '2')) as Predecessor
      await next.copy(() => true)
      await next.switch()
      for (let kept = 0; kept < KEPT; kept++) assert.notEqual(await unitOf(next.store).get(`kept-${kept}`), null)
      next.close()
    })
  }
})
