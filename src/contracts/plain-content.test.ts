import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base64Bytes, plainPassword } from './plain-content.ts'

const plain = (text: string) => plainPassword(Buffer.from(text)).toString()

test('a password is used unchanged', () => {
  for (const text of ['x', ' leading space', 'two\nlines', 'päss wörd', '"quoted"']) assert.equal(plain(text), text)
})

const endings: readonly [string, string][] = [
  ['pw\n', 'a line break'],
  ['pw\r\n', 'a line break'],
  ['pw\r', 'a carriage return'],
  ['pw ', 'a space'],
  ['pw\t', 'a tab'],
  ['pw\0', 'a zero byte'],
]

for (const [text, ending] of endings) {
  test(`a password that ends in ${ending} (${JSON.stringify(text)}) is rejected and not shown`, () => {
    assert.throws(() => plain(text), {
      message: `expected only the password, but it ends in ${ending}; write it with printf '%s', without that`,
    })
  })
}

test('empty content and a byte order mark are rejected', () => {
  assert.throws(() => plain(''), { message: 'expected a password, got nothing' })
  assert.throws(() => plain('\ufeffpw'), /starts with a byte order mark/)
})

const decoded = (text: string) => {
  const warnings: string[] = []
  const bytes = base64Bytes(Buffer.from(text), (message) => warnings.push(message))
  return { text: bytes.toString('latin1'), warnings }
}

test('base64 of either alphabet is decoded, with or without padding and line breaks', () => {
  for (const text of ['cGFzcw==', 'cGFzcw', ' cGFz\r\ncw==\n']) assert.equal(decoded(text).text, 'pass')
  assert.equal(decoded('-_-_').text, decoded('+/+/').text)
})

test('invalid base64 is rejected and not shown', () => {
  for (const text of ['hunter2!', 'pass word!', 'a-b+', 'cGFz=cw', 'cGFzcw===']) {
    assert.throws(
      () => decoded(text),
      (error: Error) => !error.message.includes(text) && /expected base64/.test(error.message),
    )
  }
  for (const text of ['cGFzc', 'cGFzcw=']) assert.throws(() => decoded(text), /it may be truncated/)
  for (const text of ['', ' \n']) assert.throws(() => decoded(text), { message: 'expected base64, got nothing' })
})

test('encoded text with a trailing line break is used with a warning; binary keys get none', () => {
  assert.deepEqual(decoded(Buffer.from('pass\n').toString('base64')).warnings, [
    'the encoded text ends in a line break, which is part of the secret; was that meant?',
  ])
  assert.deepEqual(decoded(Buffer.from([0xff, 0x00, 0x0a]).toString('base64')).warnings, [])
})
