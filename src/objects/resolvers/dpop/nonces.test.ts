import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Nonces } from './nonces.ts'

const key = Buffer.alloc(32, 7)

test('a nonce is valid for its own time step and the next, in every unit with the key', () => {
  const nonce = new Nonces(key, 60_000).at(120_000)
  assert.match(nonce, /^[A-Za-z0-9_-]{30}$/)
  const other = new Nonces(Buffer.from(key), 60_000)
  for (const [now, accepted] of [
    [59_999, false],
    [120_000, true],
    [179_999, true],
    [239_999, true],
    [240_000, false],
  ] as const) {
    assert.equal(other.accepts(nonce, now), accepted, String(now))
  }
})

test('a nonce of another key is rejected', () => {
  const nonces = new Nonces(key, 60_000)
  const nonce = nonces.at(0)
  const changed = `${nonce.slice(0, -1)}${nonce.endsWith('A') ? 'B' : 'A'}`
  for (const text of ['', 'x', changed, `${nonce}A`, new Nonces(Buffer.alloc(32, 8), 60_000).at(0)]) {
    assert.equal(nonces.accepts(text, 0), false, text)
  }
})
