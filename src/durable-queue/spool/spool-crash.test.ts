// Durability against kill -9: a real process with a spool, killed while it writes.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { AuditDestination, StartedDelivery } from '#test/audit-destination'
import { Folder } from '#test/folder'
import { once } from '#test/waiting'

const LINES = 2_000
const CHILD = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'audit-crash-child.ts')

/** Ids that a killed process had acknowledged. */
async function killedProcess(directory: string, maxEvents: number, fault: 'down' | 'stalled'): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, directory, String(maxEvents), fault], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > LINES) child.kill('SIGKILL')
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await once(child, 'close')
  clearTimeout(limit)
  assert.ok(output.split('\n').length > LINES, output)
  return output.split('\n').slice(0, -1)
}

for (const [fault, maxEvents] of [
  ['stalled', 100_000],
  ['down', 200],
] as const) {
  test(`of a process that is killed, no record older than 500 ms is missing (destination ${fault}, ${maxEvents} in memory)`, async () => {
    using folder = new Folder()
    const acknowledged = await killedProcess(folder.path, maxEvents, fault)
    const destination = new AuditDestination()
    await using started = new StartedDelivery(destination, { spool: { directory: folder.path, maxBytes: 64 << 20 } })
    assert.equal(await started.delivery.flush(30_000), true)
    const ids = destination.ids
    const found = new Set(ids)
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
    )
    assert.deepEqual(
      ids.map(Number),
      ids.map(Number).sort((a, b) => a - b),
    )
    assert.equal(started.delivery.counts.lost.unreadable, 0)
  })
}
