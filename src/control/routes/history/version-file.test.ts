import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Folder } from '#test/folder'
import {
  printVersion,
  readVersionHead,
  readVersionText,
  sequenceIn,
  UnreadableVersion,
  type VersionHead,
  versionName,
} from './version-file.ts'

const TEXT = '{\n  // edited by hand\n  "handler": "é\\n"\n}\n'
const HEAD: VersionHead = {
  folder: 'config/routes',
  file: 'A b.json',
  id: 'hello',
  revision: 'abc',
  sourceRevision: 'def',
  replacedAt: '2026-01-02T03:04:05.678Z',
  replacedBy: { operation: 'update', user: 'admin', client: '127.0.0.1', transactionId: 'x' },
  bytes: Buffer.byteLength(TEXT),
}
const NAME = versionName(7, 'hello')

test('a version is read exactly as written', async () => {
  using folder = new Folder({ [NAME]: printVersion(HEAD, TEXT) })
  assert.deepEqual(await readVersionHead(folder.path, NAME), HEAD)
  assert.equal(await readVersionText(folder.path, NAME), TEXT)
})

test('the text of the route follows the first line unchanged', () => {
  assert.equal(printVersion(HEAD, TEXT).split('\n').slice(1).join('\n'), TEXT)
})

test('an empty version, and one longer than the part read for its head', async () => {
  for (const text of ['', 'x'.repeat(100_000)]) {
    using folder = new Folder({ [NAME]: printVersion({ ...HEAD, bytes: text.length }, text) })
    assert.equal(await readVersionText(folder.path, NAME), text)
  }
})

test('B76: names are unique on any file system, and contain no path', () => {
  const ids = ['Hello', 'hello', 'hello', '../../etc/passwd', 'ä', '', 'x'.repeat(500), 'a\0b', 'con']
  const names = ids.map((id, at) => versionName(at, id))
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, ids.length)
  for (const name of names) {
    assert.match(name, /^\d{10}-[a-z0-9._-]*\.route$/)
    assert.ok(name.length < 150)
  }
  assert.deepEqual(names.map(sequenceIn), [...ids.keys()])
})

test('names of other files have no sequence number', () => {
  for (const name of ['hello.json', '.gitkeep', '7-hello-00000000.route', `${NAME}.tmp`, `.${NAME}`, `x${NAME}`, '']) {
    assert.equal(sequenceIn(name), null, name)
  }
})

describe('an invalid file is rejected with its reason', () => {
  const whole = printVersion(HEAD, TEXT)
  const rows: Readonly<Record<string, readonly [string, RegExp]>> = {
    empty: ['', /does not end/],
    'truncated in its first line': [whole.slice(0, 20), /does not end/],
    'truncated in its text': [whole.slice(0, -1), /expected \d+ bytes/],
    'with more than its text': [`${whole}x`, /expected \d+ bytes/],
    'a route file': [TEXT, /not JSON/],
    'a list': ['[]\n', /not the metadata of a version/],
    'without fields': ['{}\n', /not the metadata of a version/],
    'with a length that is not valid': [whole.replace(/"bytes":\d+/, '"bytes":-1'), /not the metadata of a version/],
    'with a length beyond all': [whole.replace(/"bytes":\d+/, '"bytes":1e300'), /not the metadata of a version/],
    'with an id of another type': [whole.replace('"_id":"hello"', '"_id":5'), /not the metadata of a version/],
    'very deep': [`${'['.repeat(10_000)}\n`, /not JSON/],
    'with a first line without end': ['x'.repeat(1_000_000), /does not end/],
  }
  for (const [what, [content, reason]] of Object.entries(rows)) {
    test(what, async () => {
      using folder = new Folder({ [NAME]: content })
      await assert.rejects(readVersionHead(folder.path, NAME), (error: Error) => {
        assert.ok(error instanceof UnreadableVersion)
        assert.match(error.message, reason)
        return true
      })
    })
  }
})

test('a pipe does not block, and a symbolic link is not followed', async () => {
  using folder = new Folder({ elsewhere: printVersion(HEAD, TEXT) })
  execFileSync('mkfifo', [folder.in('pipe')])
  symlinkSync(folder.in('elsewhere'), folder.in('link'))
  mkdirSync(folder.in('folder'))
  for (const name of ['pipe', 'link', 'folder', 'missing'])
    await assert.rejects(readVersionHead(folder.path, name), name)
})

test('unknown parts of the replacement are absent', async () => {
  const line = printVersion(HEAD, TEXT).replace(/"replacedBy":\{[^}]*\}/, '"replacedBy":{"operation":5,"client":null}')
  using folder = new Folder({ [NAME]: line })
  assert.deepEqual((await readVersionHead(folder.path, NAME)).replacedBy, { operation: 'file' })
})
