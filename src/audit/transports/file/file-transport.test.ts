import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFiles, readEvents } from '#audit'
import type { QueuedRecord } from '#durable-queue'
import { CHAIN_SECRET, chainPlan, eventText, fileEnv, filePlan, idsIn, namesIn } from '#test/audit-files'
import { Folder } from '#test/folder'
import { once } from '#test/waiting'
import { NO_ROTATION, TopicFiles, verifyTrail } from '#trail'

const { signal } = new AbortController()
const record = (topic: string, id: string | number, more = ''): QueuedRecord => ({
  topic,
  id: String(id),
  text: eventText(id, more),
  time: 0,
})

test('records go to the files of their topics, in order', async () => {
  using folder = new Folder()
  const transport = openFiles({ ...filePlan(folder.path), topics: ['access'] }, fileEnv())
  await transport.send([record('access', 1), record('other', 2), record('access', 3)], signal)
  await transport.close()
  await transport.close()
  assert.deepEqual(namesIn(folder.path), ['access.audit.json', 'other.audit.json'])
  assert.equal(folder.read('access.audit.json'), `${eventText(1)}\n${eventText(3)}\n`)
})

test('a repeated call does not write the topics again that were written', async () => {
  using folder = new Folder()
  const transport = openFiles({ ...filePlan(folder.path), topics: [] }, fileEnv())
  mkdirSync(folder.in('other.audit.json'))
  const records = [record('access', 1), record('other', 2)]
  await assert.rejects(transport.send(records, signal))
  await assert.rejects(transport.send([...records], signal))
  rmdirSync(folder.in('other.audit.json'))
  await transport.send(records, signal)
  await transport.send([record('access', 3)], signal)
  await transport.close()
  assert.deepEqual(idsIn(folder.path), ['1', '3', '2'])
})

test('reopen writes to a new file after log rotation', async () => {
  using folder = new Folder()
  const transport = openFiles({ ...filePlan(folder.path), topics: [] }, fileEnv())
  await transport.send([record('access', 1)], signal)
  renameSync(folder.in('access.audit.json'), folder.in('moved'))
  await transport.reopen?.()
  await transport.send([record('access', 2)], signal)
  await transport.close()
  assert.deepEqual([folder.read('moved'), folder.read('access.audit.json')], [`${eventText(1)}\n`, `${eventText(2)}\n`])
})

test('a reader that races with rotation and compression sees every event that was there at its start, and each once', async () => {
  using folder = new Folder()
  const plan = filePlan(folder.path, { rotation: { ...NO_ROTATION, maxFileSize: 20_000 }, compress: true })
  const transport = openFiles({ ...plan, topics: [] }, fileEnv())
  const files = new TopicFiles(plan, 'access')
  let written = 0
  const write = async (): Promise<void> => {
    for (let batch = 0; batch < 150; batch++) {
      await transport.send(
        Array.from({ length: 10 }, (_, n) => record('access', written + n, 'x'.repeat(200))),
        signal,
      )
      written += 10
    }
  }
  const writing = write()
  let isDone = false
  void writing.then(() => {
    isDone = true
  })
  let rounds = 0
  while (!isDone) {
    const least = written
    const seen: string[] = []
    for await (const events of readEvents(files)) seen.push(...events.map(({ id }) => id))
    assert.equal(new Set(seen).size, seen.length, 'an event is seen twice')
    const missing = Array.from({ length: least }, (_, n) => String(n)).filter((id) => !seen.includes(id))
    assert.deepEqual(missing, [])
    rounds++
  }
  await writing
  await transport.close()
  assert.ok(rounds > 1)
})

test('a process that is killed at any moment leaves a trail that the next one continues', {
  timeout: 60_000,
}, async () => {
  using folder = new Folder()
  const directory = folder.in('audit')
  const script = new URL('../../../../test/support/audit-file-writer.ts', import.meta.url).pathname
  for (let round = 0; round < 4; round++) {
    const child: ChildProcess = spawn(process.execPath, [script, directory, String(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    let lines = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      lines += chunk.toString().split('\n').length - 1
      if (lines > 20 + round * 7) break
    }
    child.kill('SIGKILL')
    await exited
  }
  const plan = filePlan(directory, { chain: chainPlan(), compress: true })
  const transport = openFiles({ ...plan, topics: ['access'] }, fileEnv())
  await transport.send([record('access', 'last')], signal)
  await transport.close()
  const files = namesIn(directory).map((name) => join(directory, name))
  const report = await verifyTrail(
    files.filter((path) => !path.endsWith('.tmp')),
    [CHAIN_SECRET],
  )
  assert.equal(report.problem, null, JSON.stringify(report.problem))
  assert.ok(report.notes.length > 0)
  const acknowledged = folder.read('audit-acknowledged').trim().split('\n')
  const ids = new Set(idsIn(directory))
  assert.deepEqual(
    acknowledged.filter((id) => !ids.has(id)),
    [],
  )
})
