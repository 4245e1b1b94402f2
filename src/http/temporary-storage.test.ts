import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { within } from '#test/waiting'
import { Body, BodyCancelledError, BodyTooLargeError, TemporaryStorage } from './index.ts'

async function storageFor(context: TestContext, limits: Partial<{ memoryLimit: number; fileLimit: number }> = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'storage-test-'))
  context.after(() => rm(parent, { recursive: true, force: true }))
  // A directory that does not exist yet: it is created on first use.
  const directory = join(parent, 'tmp')
  return {
    directory,
    storage: new TemporaryStorage({ initialLength: 16, memoryLimit: 100, fileLimit: 10_000, ...limits, directory }),
  }
}

const chunked = (content: Uint8Array, size: number): Buffer[] => {
  const chunks: Buffer[] = []
  for (let at = 0; at < content.length; at += size) chunks.push(Buffer.from(content.subarray(at, at + size)))
  return chunks
}

const pattern = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, index) => (index * 7) % 251))

const bodyOf = (content: Uint8Array, size = 37) => Body.fromStream(Readable.from(chunked(content, size)))

/** Open files of this process under a directory, by their names in /proc. */
async function openFilesIn(directory: string): Promise<string[]> {
  const names: string[] = []
  for (const descriptor of await readdir('/proc/self/fd')) {
    const target = await readlink(`/proc/self/fd/${descriptor}`).catch(() => '')
    if (target.startsWith(directory)) names.push(target)
  }
  return names
}

test('small content stays in memory', async (context) => {
  const { storage, directory } = await storageFor(context)
  const body = bodyOf(pattern(100))
  await body.buffer(storage)
  assert.deepEqual(Buffer.from(body.bytes()), pattern(100))
  assert.equal(body.length, 100)
  await assert.rejects(readdir(directory), { code: 'ENOENT' })
})

test('larger content is stored in an unlinked file, and can be read repeatedly', async (context) => {
  const { storage, directory } = await storageFor(context)
  const content = pattern(9_000)
  const body = bodyOf(content)
  await body.buffer(storage)

  assert.equal(body.isBuffered, true)
  assert.equal(body.length, 9_000)
  assert.deepEqual(await readdir(directory), [])
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(Buffer.from(body.bytes()), content)
    assert.deepEqual(await buffer(body.stream()), content)
  }
  assert.deepEqual(Buffer.from(await body.read(9_000)), content)
  body.cancel()
})

test('content over the limit of the file is rejected and can be read once, and no file stays open', {
  skip: process.platform !== 'linux',
}, async (context) => {
  const { storage, directory } = await storageFor(context)
  const body = bodyOf(pattern(10_001))
  for (let time = 0; time < 2; time++) {
    await assert.rejects(body.buffer(storage), { name: 'BodyTooLargeError', limit: 10_000 })
    assert.throws(() => body.bytes(), { name: 'BodyTooLargeError', limit: 10_000 })
  }
  assert.equal((await openFilesIn(directory)).length, 1, 'what was kept is kept once')
  assert.deepEqual(await buffer(body.stream()), pattern(10_001))
  await assert.rejects(body.buffer(storage), { name: 'BodyConsumedError' })
  const unread = bodyOf(pattern(10_001))
  await assert.rejects(unread.buffer(storage), { name: 'BodyTooLargeError' })
  unread.cancel()
  await closed(directory)
})

test('cancelling closes the file', { skip: process.platform !== 'linux' }, async (context) => {
  const { storage, directory } = await storageFor(context)
  const body = bodyOf(pattern(5_000))
  await body.buffer(storage)
  assert.equal((await openFilesIn(directory)).length, 1)
  body.cancel()
  await closed(directory)
  assert.throws(() => body.bytes())
})

/** Resolves when no file under the directory is open; the thread pool closes files asynchronously. */
async function closed(directory: string): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) if ((await openFilesIn(directory)).length === 0) return
  assert.fail('a temporary file is still open')
}

test('a directory that can not be written is in the error, with what to do', async (context) => {
  const { storage, directory } = await storageFor(context)
  await writeFile(directory, 'a file where the directory is expected')
  const body = bodyOf(pattern(5_000))
  const message = `body: its content can not be stored in "${directory}": ENOTDIR: not a directory, open '...'; check its free space and permissions, or name another temporaryDirectory in admin.json`
  await assert.rejects(body.buffer(storage), (error: NodeJS.ErrnoException) => {
    assert.equal(error.message.replace(/open '[^']*'/, "open '...'"), message)
    assert.equal(error.code, 'ENOTDIR')
    return true
  })
})

test('a directory that is full is in the error too', { skip: process.platform !== 'linux' }, async (context) => {
  const { directory } = await storageFor(context)
  const script = `
    import { TemporaryStorage } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
    const limits = { initialLength: 16, memoryLimit: 100, fileLimit: 1_000_000, directory: ${JSON.stringify(directory)} }
    const writer = new TemporaryStorage(limits).open()
    await writer.write(Buffer.alloc(100_000)).catch(({ code, message }) => console.log(code, message))`
  // The limit of the size of files stands for a full disk, which a test can not make.
  const shell = ['-c', 'ulimit -f 8; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script]
  const { stdout, stderr } = spawnSync('sh', shell, { encoding: 'utf8' })
  assert.match(
    stdout,
    /^EFBIG body: its content can not be stored in "[^"]+": EFBIG: file too large, write; check/,
    stderr,
  )
  assert.ok(stdout.includes(JSON.stringify(directory)), stdout)
})

test('a file limit below the memory limit means memory only', async (context) => {
  const { storage } = await storageFor(context, { memoryLimit: 50, fileLimit: 10 })
  const body = bodyOf(pattern(50))
  await body.buffer(storage)
  assert.equal(body.length, 50)
  await assert.rejects(bodyOf(pattern(51)).buffer(storage), BodyTooLargeError)
})

test('content whose declared length exceeds the limit is rejected before it is read', async (context) => {
  const { storage } = await storageFor(context)
  const stream = new Readable({ read: () => assert.fail('was read') })
  const body = Body.fromStream(stream, 10_001)
  await assert.rejects(body.buffer(storage), { limit: 10_000 })
  assert.equal(stream.destroyed, false)
  body.cancel()
  assert.equal(stream.destroyed, true)
})

test('repeated and concurrent buffering reads the producer once', async (context) => {
  const { storage } = await storageFor(context)
  const body = bodyOf(pattern(1_000))
  await Promise.all([body.buffer(storage), body.buffer(storage)])
  await body.buffer(storage)
  assert.deepEqual(Buffer.from(body.bytes()), pattern(1_000))
  body.cancel()
})

test('a sink that pauses gets a file in chunks', async (context) => {
  const { storage } = await storageFor(context, { fileLimit: 1_000_000 })
  const content = pattern(300_000)
  const body = bodyOf(content, 50_000)
  await body.buffer(storage)
  const chunks: Uint8Array[] = []
  const end = new Promise<void>((resolve, reject) => {
    let waiting = false
    const control = body.pipe({
      write(chunk) {
        assert.equal(waiting, false)
        chunks.push(chunk)
        waiting = true
        setImmediate(() => {
          waiting = false
          control.resume()
        })
        return false
      },
      end: () => resolve(),
      fail: reject,
    })
  })
  await within('the body ended', end)
  assert.ok(chunks.length > 2)
  assert.deepEqual(Buffer.concat(chunks), content)
  body.cancel()
})

test('cancelling while content is being stored rejects and closes the file', {
  skip: process.platform !== 'linux',
}, async (context) => {
  const { storage, directory } = await storageFor(context)
  const stream = new Readable({ read: () => undefined })
  const body = Body.fromStream(stream)
  const buffering = body.buffer(storage)
  stream.push(pattern(500))
  stream.once('data', () => body.cancel())
  await assert.rejects(buffering, BodyCancelledError)
  assert.equal(stream.destroyed, true)
  await closed(directory)
})

test('cancelling while a file is being sent fails the sink', async (context) => {
  const { storage } = await storageFor(context)
  const body = bodyOf(pattern(5_000))
  await body.buffer(storage)
  const failure = new Promise<Error>((resolve) => {
    body.pipe({ write: () => true, end: () => resolve(new Error('a clean end')), fail: resolve })
  })
  body.cancel()
  assert.ok((await within('the sink failed', failure)) instanceof BodyCancelledError)
})

test('a directory that cannot be written to rejects the buffering', async () => {
  const storage = new TemporaryStorage({
    initialLength: 1,
    memoryLimit: 1,
    fileLimit: 100,
    directory: '/dev/null/none',
  })
  await assert.rejects(bodyOf(pattern(50)).buffer(storage), { code: 'ENOTDIR' })
})

test('stored content equals the received content, for any limits', async (context) => {
  const { directory } = await storageFor(context)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(400),
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 300 }),
      async (length, size, memoryLimit) => {
        const storage = new TemporaryStorage({ initialLength: 8, memoryLimit, fileLimit: 400, directory })
        const body = bodyOf(pattern(length), size)
        await body.buffer(storage)
        assert.deepEqual(Buffer.from(body.bytes()), pattern(length))
        body.cancel()
      },
    ),
    { numRuns: 40 },
  )
})
