import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { FileAttributesContext } from '#contracts'
import { type Filter, respond } from '#http'
import type { JsonObject } from '#json'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { Folder } from '#test/folder'
import { waitUntil } from '#test/waiting'
import { ScheduledExecutorService } from '../../services/scheduled-executor/scheduled-executor-service.ts'
import { FileAttributesFilter } from './file-attributes-filter.ts'

const PEOPLE = 'username,password,fullname\nann,secret1,Ann Smith\nbob,"se,c""ret\n2",Bob\nann,later,Second\n'

function built(file: string, config: JsonObject = {}) {
  return build<Filter>(
    FileAttributesFilter,
    { file, key: 'username', value: '${request.queryParams.user[0]}', ...config },
    {
      types: [ScheduledExecutorService],
      heap: [{ name: 'ScheduledExecutorService', type: 'ScheduledExecutorService' }],
    },
  )
}

async function recordOf(filter: Filter, user: string | null, attributes: Record<string, unknown> = {}) {
  const query = user === null ? '' : `?user=${encodeURIComponent(user)}`
  const exchange = exchangeFor('GET', `http://app.example/${query}`)
  let record: unknown = null
  await filter(exchange, async (next) => {
    record = { ...next.context(FileAttributesContext)?.record }
    return respond(200)
  })
  Object.assign(attributes, exchange.attributes)
  return record
}

test('the first record with the value is in the contexts, by the names of the header', async () => {
  using folder = new Folder({ 'people.csv': PEOPLE })
  await using filter = await built(folder.in('people.csv'))
  assert.deepEqual(await recordOf(filter.object, 'ann'), {
    username: 'ann',
    password: 'secret1',
    fullname: 'Ann Smith',
  })
  assert.deepEqual(await recordOf(filter.object, 'bob'), { username: 'bob', password: 'se,c"ret\n2', fullname: 'Bob' })
})

test('without a record, and without a value, the record is empty', async () => {
  using folder = new Folder({ 'people.csv': PEOPLE })
  await using filter = await built(folder.in('people.csv'))
  for (const user of ['unknown', '', 'username', '__proto__', null]) {
    assert.deepEqual(await recordOf(filter.object, user), {}, String(user))
  }
})

test('target gets the record, and is deprecated', async () => {
  using folder = new Folder({ 'people.csv': PEOPLE })
  await using filter = await built(folder.in('people.csv'), { target: '${attributes.found}' })
  const attributes: Record<string, unknown> = {}
  const record = await recordOf(filter.object, 'ann', attributes)
  assert.deepEqual(attributes['found'], record)
  assert.match(filter.warnings.join(), /target is deprecated; use contexts\.fileAttributes\.record/)
})

for (const [separator, character] of [
  ['COLON', ':'],
  ['semicolon', ';'],
  ['TAB', '\t'],
  ['|', '|'],
] as const) {
  test(`fields may be separated by ${separator}`, async () => {
    using folder = new Folder({ 'people.csv': PEOPLE.replaceAll(',', character) })
    await using filter = await built(folder.in('people.csv'), { separator })
    assert.equal(((await recordOf(filter.object, 'ann')) as JsonObject)['password'], 'secret1')
  })
}

test('fields name the columns of a file without a header, and replace those of a header', async () => {
  using folder = new Folder({ 'plain.csv': 'ann,1\r\nbob,2,3\r\ncid', 'header.csv': 'a,b\nann,1\n' })
  const fields = ['username', 'number']
  await using plain = await built(folder.in('plain.csv'), { header: false, fields })
  assert.deepEqual(await recordOf(plain.object, 'ann'), { username: 'ann', number: '1' })
  assert.deepEqual(await recordOf(plain.object, 'bob'), { username: 'bob', number: '2' })
  assert.deepEqual(await recordOf(plain.object, 'cid'), { username: 'cid' })
  await using header = await built(folder.in('header.csv'), { fields })
  assert.deepEqual(await recordOf(header.object, 'a'), {})
  assert.deepEqual(await recordOf(header.object, 'ann'), { username: 'ann', number: '1' })
})

test('charset is the encoding of the file, and a byte order mark is no part of a name', async () => {
  using folder = new Folder()
  writeFileSync(folder.in('latin.csv'), Buffer.from('username,city\nj\u00fcrgen,K\u00f6ln\n', 'latin1'))
  await using latin = await built(folder.in('latin.csv'), { charset: 'ISO-8859-1' })
  assert.deepEqual(await recordOf(latin.object, 'j\u00fcrgen'), { username: 'j\u00fcrgen', city: 'K\u00f6ln' })
  folder.write('mark.csv', '\ufeffusername,city\nann,x\n')
  await using mark = await built(folder.in('mark.csv'))
  assert.deepEqual(await recordOf(mark.object, 'ann'), { username: 'ann', city: 'x' })
})

test('a changed file is read again; one that can not be read keeps the records that were', async () => {
  using folder = new Folder({ 'people.csv': PEOPLE })
  await using filter = await built(folder.in('people.csv'))
  const password = async () => ((await recordOf(filter.object, 'ann')) as JsonObject)['password']
  folder.write('next.csv', 'username,password\nann,changed\n')
  renameSync(folder.in('next.csv'), folder.in('people.csv'))
  await waitUntil('the changed file was read', async () => (await password()) === 'changed')
  folder.write('people.csv', 'username,password\nann,"open\n')
  await waitUntil('the file was found to be broken', () => filter.states.length > 0)
  assert.deepEqual(filter.states, ['degraded: the changed file can not be read'])
  assert.equal(await password(), 'changed')
  assert.doesNotMatch(filter.log.lines.join(), /secret1|changed"/)
  folder.write('people.csv', 'username,password\nann,good\n')
  await waitUntil('the corrected file was read', async () => (await password()) === 'good')
})

for (const [what, content, config, message] of [
  ['no file', null, {}, /\/file: the file can not be read: .*ENOENT/],
  ['no such field', 'a,b\n1,2\n', {}, /expected the field "username" in the header, which has "a", "b"/],
  ['an empty file', '', {}, /in the header, which has no fields/],
  ['an open quote', 'username\n"a\n\n', {}, /the quoted field that begins in line 2 has no end/],
  ['neither header nor fields', PEOPLE, { header: false }, /\/fields: expected the names of the fields/],
  ['a key outside of fields', PEOPLE, { fields: ['a'] }, /\/key: expected one of fields, got "username"/],
  ['an unknown charset', PEOPLE, { charset: 'x-none' }, /\/charset: expected a character encoding/],
  ['a long separator', PEOPLE, { separator: 'PIPE' }, /\/separator: expected COLON, COMMA/],
] as const) {
  test(`${what} is refused at load`, async () => {
    using folder = new Folder(content === null ? {} : { 'people.csv': content })
    await assert.rejects(built(folder.in('people.csv'), config as unknown as JsonObject), message)
  })
}

test('a file over the limit is refused', async () => {
  using folder = new Folder({ 'people.csv': `username\n${'x'.repeat(17 * 1024 * 1024)}` })
  await assert.rejects(built(folder.in('people.csv')), /expected at most 16777216 bytes/)
})
