// The responses of llhttp's test suite, cut at every byte, in comparison with a strict reading and with other clients.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseResponse } from '#test/parsed-response'
import { differenceOf } from '#test/response-differences'
import { parseByNode, parseByUndici } from '#test/response-peers'
import { strictProblemOf } from '#test/strict-response'

const file = new URL('../../../../shared/corpora/http1/llhttp_responses.json', import.meta.url)
const skip = existsSync(file) ? false : 'shared/corpora/http1/llhttp_responses.json is not beside the checkout'
const corpus = skip === false ? (JSON.parse(readFileSync(file, 'utf8')) as { id: string; raw_b64: string }[]) : []
const samples = corpus.flatMap(({ id, raw_b64: raw }) =>
  ['GET', 'HEAD', 'CONNECT'].map((method) => ({ id: `${id} ${method}`, bytes: Buffer.from(raw, 'base64'), method })),
)

test('responses of the parser suite have the same result wherever they are cut', { skip }, () => {
  assert.ok(samples.length > 200)
  for (const { id, bytes, method } of samples) {
    for (const options of [
      { method, allowUpgrade: true, closes: true },
      { method, allowUpgrade: false, closes: false },
    ]) {
      const whole = JSON.stringify(parseResponse([bytes], options))
      for (let at = 1; at < bytes.length; at++) {
        const split = parseResponse([bytes.subarray(0, at), bytes.subarray(at)], options)
        assert.equal(JSON.stringify(split), whole, `${id} cut at ${at}`)
      }
    }
  }
})

test('responses of the parser suite are parsed strictly, or rejected', { skip }, () => {
  let accepted = 0
  for (const { id, bytes, method } of samples) {
    if (method === 'CONNECT') continue
    const ours = parseResponse([bytes], { method })
    assert.equal(strictProblemOf(bytes, method, ours), null, id)
    if (ours.error === null) accepted++
  }
  assert.ok(accepted > 80, `${accepted} are accepted`)
})

test('responses of the parser suite are those of node:http and undici, but for documented differences', {
  skip,
}, async () => {
  for (const { id, bytes, method } of samples) {
    if (method === 'CONNECT') continue
    const ours = parseResponse([bytes], { method, allowUpgrade: true })
    for (const parse of [parseByNode, parseByUndici]) {
      const theirs = await parse(bytes, method)
      assert.notEqual(differenceOf(bytes, ours, theirs), undefined, `${id}: ${parse.name} ${JSON.stringify(theirs)}`)
    }
  }
})
