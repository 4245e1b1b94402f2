import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerLists } from './header-lines.ts'

test('lines of one name are a list, also of a name that every object has', () => {
  const text = 'Accept: a\n\n  \nAccept:b:c\r\nconstructor: 1\n__proto__: 2'
  assert.equal(JSON.stringify(headerLists(text)), '{"Accept":["a","b:c"],"constructor":["1"],"__proto__":["2"]}')
})

test('a line that is no header is an error that names it', () => {
  for (const line of ['no header', ': value']) {
    const expected = { message: `Headers, line 2: expected "Name: value", found "${line}".` }
    assert.throws(() => headerLists(`Accept: a\n${line}`), expected)
  }
})
