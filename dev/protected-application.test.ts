import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProtectedApplication } from './protected-application.ts'

test('echo returns method, path, headers and body as received', async () => {
  await using application = await startProtectedApplication()
  const response = await fetch(`${application.url}/echo?a=1`, {
    method: 'PUT',
    body: 'text',
    headers: { 'X-One': '1' },
  })
  const seen = (await response.json()) as {
    method: string
    path: string
    body: string
    headers: Record<string, string>
  }
  assert.equal(seen.method, 'PUT')
  assert.equal(seen.path, '/echo?a=1')
  assert.equal(seen.body, 'text')
  assert.equal(seen.headers['x-one'], '1')
})

test('status, download and slow respond as requested; other paths are 404', async () => {
  await using application = await startProtectedApplication()
  const status = async (path: string): Promise<number> => (await fetch(application.url + path)).status
  assert.equal(await status('/status/418'), 418)
  assert.equal(await status('/status/999'), 400)
  assert.equal(await status('/nothing'), 404)
  assert.equal((await (await fetch(`${application.url}/download?bytes=100000`)).arrayBuffer()).byteLength, 100_000)
  assert.equal(await (await fetch(`${application.url}/slow?ms=1`)).text(), 'that took a while\n')
})

test('a download in many chunks leaves no listeners', async (context) => {
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  context.after(() => process.off('warning', warn))
  await using application = await startProtectedApplication()
  const response = await fetch(`${application.url}/download?bytes=30000000`)
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Waits until the buffers of the kernel are full, so that the application has to pause.
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(length, 30_000_000)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(warnings, [])
})

test('the application stops while a stream is open', async () => {
  const application = await startProtectedApplication()
  const response = await fetch(`${application.url}/stream`)
  const reader = response.body?.getReader()
  await reader?.read()
  await application[Symbol.asyncDispose]()
  await assert.rejects(async () => {
    for (;;) if ((await reader?.read())?.done) return
  })
})
