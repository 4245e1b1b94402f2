import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Folder } from '#test/folder'
import { parseRouteFile, readRouteFiles, rereadRouteFiles, revisionOf } from './route-files.ts'

let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-routes-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('reads the JSON files of a folder, by name, and no others', () => {
  for (const name of ['b.json', 'a.json', '.c.json', 'd.JSON', 'e.json~', 'f.txt'])
    writeFileSync(join(directory, name), '{}')
  assert.deepEqual([...readRouteFiles(directory, new Map()).keys()], ['a.json', 'b.json'])
})

test('a missing folder has no routes', () => {
  assert.equal(readRouteFiles(join(directory, 'none'), new Map()).size, 0)
})

test('an unchanged file is not read again, unless it was modified just now', () => {
  const path = join(directory, 'a.json')
  writeFileSync(path, '{"handler":"a"}')
  const first = readRouteFiles(directory, new Map())
  assert.equal(first.get('a.json')?.stamp, '')
  assert.notEqual(readRouteFiles(directory, first).get('a.json'), first.get('a.json'))
})

test('a file rewritten immediately with the same length and times is read again', () => {
  const path = join(directory, 'a.json')
  const time = new Date(1_700_000_000_000)
  writeFileSync(path, '{"handler":"a"}')
  utimesSync(path, time, time)
  const first = readRouteFiles(directory, new Map())
  writeFileSync(path, '{"handler":"b"}')
  utimesSync(path, time, time)
  const second = readRouteFiles(directory, first)
  assert.notEqual(second.get('a.json')?.route?.revision, first.get('a.json')?.route?.revision)
})

test('a folder, a pipe and an unreadable file are problems of that file, and block no other', () => {
  mkdirSync(join(directory, 'folder.json'))
  execFileSync('mkfifo', [join(directory, 'pipe.json')])
  writeFileSync(join(directory, 'z.json'), '{}')
  const files = readRouteFiles(directory, new Map())
  assert.match(files.get('folder.json')?.problems[0]?.message ?? '', /can not be read: it is not a regular file/)
  assert.match(files.get('pipe.json')?.problems[0]?.message ?? '', /can not be read: it is not a regular file/)
  assert.deepEqual(files.get('z.json')?.problems, [])
})

test('a byte order mark is not part of the text', () => {
  writeFileSync(join(directory, 'a.json'), '\uFEFF{}')
  assert.deepEqual(readRouteFiles(directory, new Map()).get('a.json')?.problems, [])
})

test('problems have their position in the text', () => {
  assert.deepEqual(parseRouteFile('a.json', '[]', '').problems, [
    { pointer: '', message: 'expected a JSON object, the route', line: 1, column: 1 },
  ])
  const [syntax] = parseRouteFile('a.json', '{\n  "a" 1\n}', '').problems
  assert.deepEqual([syntax?.line, syntax?.pointer], [2, ''])
  assert.match(syntax?.message ?? '', /^not valid JSON: /)
  const [identity] = parseRouteFile('a.json', '{\n  "_id": "../x"\n}', '').problems
  assert.deepEqual([identity?.line, identity?.pointer], [2, '/_id'])
})

test('the revision does not depend on the order of members', () => {
  assert.equal(revisionOf({ a: 1, b: { c: [1, 2], d: null } }), revisionOf({ b: { d: null, c: [1, 2] }, a: 1 }))
  assert.notEqual(revisionOf({ a: [1, 2] }), revisionOf({ a: [2, 1] }))
  assert.match(revisionOf({}), /^[0-9a-f]{32}$/)
})

test('some files are read again, and the others are as they were, in the order of names', () => {
  using folder = new Folder({ 'b.json': '{"name":"b"}', 'c.json': '{"name":"c"}' })
  const known = readRouteFiles(folder.path, new Map())
  folder.write('a.json', '{"name":"a"}')
  folder.write('b.json', '{"name":"changed"}')
  folder.write('c.json', '{"name":"not looked at"}')
  folder.write('.d.json', '{}')
  const files = rereadRouteFiles(folder.path, known, ['b.json', 'a.json', '.d.json', 'missing.json'])
  assert.deepEqual(
    [...files.values()].map(({ file, route }) => [file, route?.name]),
    [
      ['a.json', 'a'],
      ['b.json', 'changed'],
      ['c.json', 'c'],
    ],
  )
})
