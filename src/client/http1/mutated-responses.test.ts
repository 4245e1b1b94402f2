// Mutated responses: the result must not depend on the chunks, and is that of a strict reading by other means, of
// `node:http` and of undici, but for documented differences. FUZZ_RUNS is the number of mutations compared with the
// clients, a twentieth of all; FUZZ_SEED selects others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseResponse } from '#test/parsed-response'
import { differenceOf, RESPONSE_DIFFERENCES } from '#test/response-differences'
import { mutatedResponse, type Random, randomFrom } from '#test/response-mutations'
import { parseByNode, parseByUndici } from '#test/response-peers'
import { strictProblemOf } from '#test/strict-response'

const runs = Number(process.env['FUZZ_RUNS'] ?? 500)
const seed = Number(process.env['FUZZ_SEED'] ?? 20260101)

interface Mutation {
  readonly bytes: Buffer
  readonly method: string
  readonly random: Random
}

function mutation(number: number): Mutation {
  const random = randomFrom(seed, number)
  return { bytes: mutatedResponse(random), method: random(6) === 0 ? 'HEAD' : 'GET', random }
}

const inputOf = ({ bytes, method }: Mutation, number: number) =>
  `mutation ${number}, ${method}: ${JSON.stringify(bytes.toString('latin1'))}`

/** Chunks of random sizes; of one byte each with a random that is always 0. */
function chunksOf(bytes: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(random(2) === 0 ? 4 : 40)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

test('mutated responses are parsed strictly, with the same result in whatever chunks they are received', () => {
  let accepted = 0
  for (let number = 0; number < 20 * runs; number++) {
    const mutated = mutation(number)
    const { bytes, method, random } = mutated
    const options = { method, allowUpgrade: random(2) === 0 }
    const ours = parseResponse([bytes], options)
    const expected = JSON.stringify(ours)
    const chunks = chunksOf(bytes, number % 8 === 0 ? () => 0 : random)
    if (JSON.stringify(parseResponse(chunks, options)) !== expected) assert.fail(inputOf(mutated, number))
    const problem = strictProblemOf(bytes, method, ours)
    if (problem !== null) assert.fail(`${problem}: ${inputOf(mutated, number)}`)
    if (ours.error === null) accepted++
  }
  assert.ok(accepted > 2 * runs, `only ${accepted} were accepted`)
})

test('mutated responses are those of node:http and undici, but for documented differences', async (t) => {
  const counts = new Map<string, number>()
  for (let number = 0; number < runs; number++) {
    const mutated = mutation(number)
    const { bytes, method } = mutated
    const ours = parseResponse([bytes], { method, allowUpgrade: true })
    for (const parse of [parseByNode, parseByUndici]) {
      const theirs = await parse(bytes, method)
      const difference = differenceOf(bytes, ours, theirs)
      if (difference === undefined)
        assert.fail(`${inputOf(mutated, number)}: ${JSON.stringify(ours)} ${parse.name}: ${JSON.stringify(theirs)}`)
      if (difference !== null) counts.set(difference, (counts.get(difference) ?? 0) + 1)
    }
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(counts)))
})

test('every difference to other clients has a row with its reason in docs/http1-differences.md', () => {
  const page = readFileSync(new URL('../../../docs/http1-differences.md', import.meta.url), 'utf8')
  const rows = Array.from(page.matchAll(/^\| `(?!request-)([\w.-]+)` \|/gm), (match) => match[1])
  assert.deepEqual(rows.toSorted(), RESPONSE_DIFFERENCES.map(({ id }) => id).toSorted())
})
