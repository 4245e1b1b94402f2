import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Handler } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { within } from '#test/waiting'
import { ResourceHandler } from './resource-handler.ts'

const top = realpathSync(mkdtempSync(join(tmpdir(), 'resource-test-')))
after(() => rmSync(top, { recursive: true, force: true }))
writeFileSync(join(top, 'file.bin'), Buffer.alloc(1_000_003, 7))

const site = () => build<Handler>(ResourceHandler, { directories: [top] })
const request = (headers = {}, method = 'GET') => exchangeFor(method, 'http://gw.example.com/file.bin', { headers })

/** Paths of open files of this process below the folder of the test. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path.startsWith(top))
}

test('a large file is streamed in chunks, with back-pressure', async () => {
  await using built = await site()
  const response = await built.object(request())
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let waiting = false
  let total = 0
  const control = response.body.pipe({
    write: (chunk) => {
      assert.ok(!waiting && chunk.length <= 65_536)
      waiting = true
      total += chunk.length
      setImmediate(() => {
        waiting = false
        control.resume()
      })
      return false
    },
    end: () => resolve(total),
    fail: reject,
  })
  assert.equal(await within('the file was read', promise), 1_000_003)
})

test('a file is closed when it was read, cancelled or not needed, and when the exchange ends at the latest', async (context) => {
  if (!existsSync('/proc/self/fd')) return context.skip('no /proc')
  await using built = await site()
  const closed = async () => {
    // A stream closes its file in the thread pool, some turns of the event loop later.
    const deadline = performance.now() + 10_000
    while (openFiles().length > 0 && performance.now() < deadline) await new Promise(setImmediate)
    return openFiles()
  }

  await (await built.object(request())).body.read(2_000_000)
  assert.deepEqual(await closed(), [], 'read')
  const dropped = await built.object(request())
  assert.equal(openFiles().length, 1)
  dropped.body.cancel()
  assert.deepEqual(await closed(), [], 'cancelled')
  const abandoned = request()
  await built.object(abandoned)
  abandoned.complete()
  assert.deepEqual(await closed(), [], 'exchange over')
  await built.object(request({}, 'HEAD'))
  await built.object(request({ 'If-None-Match': '*' }))
  await built.object(request({ 'If-Match': '"a"' }))
  await built.object(request({ Range: 'bytes=1000003-' }))
  assert.deepEqual(openFiles(), [], 'never wanted')
})
