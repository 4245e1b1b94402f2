import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Folder } from '#test/folder'
import { TrailFile } from './trail-file.ts'
import { readTrail } from './trail-reader.ts'

const line = (id: string | number, more = '') => `${JSON.stringify({ _id: String(id), more })}\n`

async function idsIn(trail: TrailFile): Promise<string[]> {
  const found: string[] = []
  for await (const events of readTrail(trail)) found.push(...events.map(({ id }) => id))
  return found
}

describe('the file of a trail', () => {
  test('is made with its folder when the first line comes, and only its owner may read either', async () => {
    using folder = new Folder()
    const directory = folder.in('logs/audit')
    const trail = new TrailFile({ directory, topic: 'config' })
    assert.deepEqual(await idsIn(trail), [])
    await trail.append(line(1))
    await trail.append(line(2) + line(3))
    assert.equal(trail.path, join(directory, 'config.audit.json'))
    assert.equal(readFileSync(trail.path, 'utf8'), line(1) + line(2) + line(3))
    assert.equal(statSync(trail.path).mode & 0o777, 0o600)
    assert.equal(statSync(directory).mode & 0o777, 0o700)
    assert.deepEqual(await idsIn(trail), ['1', '2', '3'])
  })

  test('is put aside when it is full, and the oldest are removed', async () => {
    using folder = new Folder()
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
    const options = { directory: folder.path, topic: 'config', maxBytes: line(10).length * 2, oldFiles: 2 }
    const trail = new TrailFile({ ...options, now: () => now })
    for (let n = 10; n < 20; n++) {
      await trail.append(line(n))
      now += 1_000
    }
    const names = readdirSync(folder.path).sort()
    assert.deepEqual(names, [
      'config.audit.json',
      'config.audit.json-2026.01.02-03.04.11.006',
      'config.audit.json-2026.01.02-03.04.13.006',
    ])
    assert.deepEqual(await idsIn(trail), ['18', '19', '16', '17', '14', '15'])
    for (const name of names) assert.equal(statSync(folder.in(name)).mode & 0o777, 0o600)
  })

  test('two that are full in the same moment both stay', async () => {
    using folder = new Folder()
    const trail = new TrailFile({ directory: folder.path, topic: 'config', maxBytes: 1, now: () => 0 })
    for (let n = 0; n < 4; n++) await trail.append(line(n))
    assert.deepEqual((await idsIn(trail)).sort(), ['0', '1', '2', '3'])
  })

  test('files of other topics and of other people are left alone', async () => {
    using folder = new Folder({ 'config.audit.json.bak': line('x'), 'config.audit.json-old': line('y') })
    const trail = new TrailFile({ directory: folder.path, topic: 'config', maxBytes: 1, oldFiles: 1 })
    for (let n = 0; n < 4; n++) await trail.append(line(n))
    assert.equal(readdirSync(folder.path).length, 4)
    assert.deepEqual((await idsIn(trail)).sort(), ['2', '3'])
  })

  test('a truncated last line is skipped, and the next event begins a line of its own', async () => {
    using folder = new Folder({ 'config.audit.json': `${line(1)}{"_id":"2","mo` })
    const trail = new TrailFile({ directory: folder.path, topic: 'config' })
    assert.deepEqual(await idsIn(trail), ['1'])
    await trail.append(line(3))
    assert.deepEqual(await idsIn(trail), ['1', '3'])
    assert.equal(folder.read('config.audit.json'), `${line(1)}{"_id":"2","mo\n${line(3)}`)
  })

  test('one that was moved away is created again', async () => {
    using folder = new Folder()
    const trail = new TrailFile({ directory: folder.in('audit'), topic: 'config' })
    await trail.append(line(1))
    folder[Symbol.dispose]()
    await trail.append(line(2))
    assert.deepEqual(await idsIn(trail), ['2'])
  })

  test('a link or a folder in its place is refused', async () => {
    using folder = new Folder({ target: '' })
    symlinkSync(folder.in('target'), folder.in('config.audit.json'))
    mkdirSync(folder.in('access.audit.json'))
    for (const topic of ['config', 'access']) {
      await assert.rejects(new TrailFile({ directory: folder.path, topic }).append(line(1)))
    }
    assert.equal(folder.read('target'), '')
  })

  test('a folder that can not be written fails the append', {
    skip: process.getuid?.() === 0 && 'root may write',
  }, async () => {
    using folder = new Folder()
    chmodSync(folder.path, 0o500)
    await assert.rejects(new TrailFile({ directory: folder.path, topic: 'config' }).append(line(1)), { code: 'EACCES' })
    chmodSync(folder.path, 0o700)
  })
})

describe('reading a trail', () => {
  test('lines over the borders of chunks are whole, whatever characters are there', async () => {
    using folder = new Folder()
    const trail = new TrailFile({ directory: folder.path, topic: 'config' })
    const texts = Array.from({ length: 300 }, (_, n) => 'ä€😀'.repeat(n))
    for (const [n, text] of texts.entries()) appendFileSync(trail.path, line(n, text))
    const found: string[] = []
    for await (const events of readTrail(trail)) found.push(...events.map(({ fields }) => String(fields['more'])))
    assert.deepEqual(found, texts)
  })

  test('lines that are no events are skipped', async () => {
    using folder = new Folder({
      'config.audit.json': [
        '',
        'no json',
        '[]',
        'null',
        '{"_id":7}',
        '{"id":"x"}',
        `{"_id":"${'x'.repeat(5_000_000)}"}`,
        `{"_id":"deep","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
        `${'y'.repeat(200_000)}`,
        '{"_id":"good"}',
      ].join('\n'),
    })
    assert.deepEqual(await idsIn(new TrailFile({ directory: folder.path, topic: 'config' })), ['good'])
  })

  test('events written after the start of reading are not waited for', async () => {
    using folder = new Folder()
    const trail = new TrailFile({ directory: folder.path, topic: 'config', maxBytes: 100, oldFiles: 5 })
    await trail.append(line(1))
    const found: string[] = []
    for await (const events of readTrail(trail)) {
      found.push(...events.map(({ id }) => id))
      for (let n = 2; n < 5; n++) await trail.append(line(n, 'x'.repeat(100)))
    }
    assert.equal(found.filter((id) => id === '1').length, 1)
  })
})
