import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InteractionIdContext } from '#contracts'
import { type Filter, Headers, respond } from '#http'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { FapiInteractionIdFilter } from './fapi-interaction-id-filter.ts'

const HEADER = 'x-fapi-interaction-id'
const ID = 'C770AEF3-6784-41F7-8E0E-FF5F97BDDB3A'

async function pass(raw: string[]) {
  await using built = await build<Filter>(FapiInteractionIdFilter, {})
  const exchange = exchangeFor('GET', 'http://app.example/')
  exchange.request.headers = Headers.fromRaw(raw)
  const seen: (string | null | undefined)[] = []
  const response = await built.object(exchange, async (inner) => {
    seen.push(inner.request.headers.get(HEADER), inner.context(InteractionIdContext)?.fapiInteractionId)
    return respond(200, { [HEADER]: 'of the application' })
  })
  return { seen, sent: response.headers.all(HEADER) }
}

test('the UUID of a client is returned, and known to the application', async () => {
  assert.deepEqual(await pass(['X-FAPI-Interaction-ID', ID]), { seen: [ID, ID], sent: [ID] })
})

for (const [what, raw] of [
  ['no header', []],
  ['a value that is no UUID', [HEADER, 'x\\n']],
  ['a UUID with more behind it', [HEADER, `${ID}; a=b`]],
  ['several headers', [HEADER, ID, HEADER, ID]],
] as const) {
  test(`${what}: a new UUID`, async () => {
    const { seen, sent } = await pass([...raw])
    assert.match(sent[0] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    assert.notEqual(sent[0], ID)
    assert.deepEqual(seen, [sent[0], sent[0]])
    assert.equal(sent.length, 1)
  })
}
