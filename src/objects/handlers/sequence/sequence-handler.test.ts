import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { HandlerKind } from '#contracts'
import { Body, type BodySource, BodyTooLargeError, type Handler, Response } from '#http'
import type { JsonValue } from '#json'
import { defineType, string } from '#schema'
import { build } from '#test/build'
import { exchangeFor } from '#test/exchange'
import { EchoHandler, MarkFilter } from '#test/trail'
import { Chain } from '../chain/chain.ts'
import { StaticResponseHandler } from '../static-response/static-response-handler.ts'
import { SequenceHandler } from './sequence-handler.ts'

/** Responds with a streamed body, and records whether it was read or cancelled. */
function streamingHandler(notes: string[]) {
  return defineType({
    name: 'StreamingHandler',
    kind: HandlerKind,
    summary: 'Answers with a body that flows.',
    config: { label: string().meta({ description: 'The content, and its name in the notes.' }) },
    create:
      ({ label }): Handler =>
      async () => {
        const source: BodySource = {
          start: (sink) => {
            notes.push(`${label} read`)
            sink.write(Buffer.from(label))
            sink.end(null)
          },
          resume: () => undefined,
          cancel: () => void notes.push(`${label} cancelled`),
        }
        return new Response(200, { body: Body.fromSource(source) })
      },
  })
}

const notes: string[] = []
const types = [Chain, EchoHandler, MarkFilter, StaticResponseHandler, streamingHandler(notes)]

const sequenceOf = (...bindings: JsonValue[]) => build<Handler>(SequenceHandler, { bindings }, { types })

const answers = (status: number, entity = ''): JsonValue => ({
  type: 'StaticResponseHandler',
  config: { status, entity },
})
const flows = (label: string): JsonValue => ({ type: 'StreamingHandler', config: { label } })
const get = () => exchangeFor('GET', 'http://app.example.com/')

test('without postconditions runs every step and returns the last response', async () => {
  await using built = await sequenceOf({ handler: answers(201) }, { handler: answers(202) }, { handler: answers(203) })
  assert.equal((await built.object(get())).status, 203)
})

test('continues while the postcondition is true, and returns the response for which it was false', async () => {
  await using built = await sequenceOf(
    { handler: answers(200), postcondition: '${response.status.code == 200}' },
    { handler: answers(409, 'conflict'), postcondition: '${response.status.code == 200}' },
    { handler: answers(204) },
  )

  const response = await built.object(get())

  assert.equal(response.status, 409)
  assert.equal(response.body.text(), 'conflict')
})

test('the postcondition of the last step has no effect', async () => {
  await using built = await sequenceOf({ handler: answers(204), postcondition: false })
  assert.equal((await built.object(get())).status, 204)
})

test('skipped responses are cancelled, the returned one is not', async () => {
  notes.length = 0
  await using built = await sequenceOf(
    { handler: flows('one') },
    { handler: flows('two') },
    { handler: flows('three') },
  )

  const response = await built.object(get())

  assert.deepEqual(notes, ['one cancelled', 'two cancelled'])
  assert.equal(Buffer.from(await response.body.read(100)).toString(), 'three')
})

test('a postcondition may read the body, which is returned too', async () => {
  notes.length = 0
  const postcondition = "${response.entity.string == 'one'}"
  await using built = await sequenceOf(
    { handler: flows('one'), postcondition },
    { handler: flows('two'), postcondition },
    { handler: flows('three') },
  )

  const response = await built.object(get())

  assert.equal(response.body.text(), 'two')
  assert.deepEqual(notes, ['one read', 'two read'])
})

test('a postcondition that fails ends the sequence with that response, and is logged', async () => {
  await using built = await sequenceOf(
    { handler: answers(200, '{ not json'), postcondition: '${response.entity.json.ok}' },
    { handler: answers(204) },
  )

  assert.equal((await built.object(get())).status, 200)
  assert.equal(built.log.entries.filter(({ level }) => level === 'warn').length, 1)
})

test('a postcondition that is null ends the sequence', async () => {
  await using built = await sequenceOf(
    { handler: answers(200), postcondition: "${response.headers['Nothing']}" },
    { handler: answers(204) },
  )
  assert.equal((await built.object(get())).status, 200)
})

test('every step gets the whole request body', async () => {
  const repeats = (status: number): JsonValue => ({
    type: 'StaticResponseHandler',
    config: { status, entity: '${request.entity.string}' },
  })
  await using built = await sequenceOf(
    { handler: repeats(200), postcondition: "${response.entity.string == 'a long story'}" },
    { handler: repeats(201) },
  )
  const body = Body.fromStream(Readable.from([Buffer.from('a long '), Buffer.from('story')]))

  const response = await built.object(exchangeFor('POST', 'http://app.example.com/', { body }))

  assert.equal(response.status, 201)
  assert.equal(response.body.text(), 'a long story')
})

test('a request body beyond the temporary storage is rejected before any step runs', async () => {
  notes.length = 0
  await using built = await sequenceOf({ handler: flows('one') }, { handler: flows('two') })
  const body = Body.fromStream(Readable.from([Buffer.alloc(600_000), Buffer.alloc(600_000)]))

  await assert.rejects(built.object(exchangeFor('POST', 'http://app.example.com/', { body })), BodyTooLargeError)
  assert.deepEqual(notes, [])
})

test('changes of a step to the request do not affect the next step', async () => {
  const marked = {
    type: 'Chain',
    config: { filters: [{ type: 'MarkFilter', config: { mark: 'leak' } }], handler: { type: 'EchoHandler' } },
  }
  await using built = await sequenceOf({ handler: marked }, { handler: { type: 'EchoHandler' } })
  const exchange = get()

  assert.equal((await built.object(exchange)).headers.get('echo-trail'), '')
  assert.ok(!exchange.request.headers.has('trail'))
})

const where = '/heap/0/config/bindings'
const refusals: readonly [string, JsonValue, string][] = [
  ['no bindings', {}, `${where}: expected an array of object; this field is required`],
  ['an empty list', { bindings: [] }, `${where}: expected at least one element`],
  [
    'a step without handler',
    { bindings: [{ postcondition: true }] },
    `${where}/0/handler: expected a Handler reference; this field is required`,
  ],
  [
    'a postcondition that is a number',
    { bindings: [{ handler: answers(200), postcondition: 200 }] },
    `${where}/0/postcondition: expected true, false or an expression such as "\${find(request.uri.path, '^/home')}", got 200`,
  ],
  [
    'a condition, which belongs to a DispatchHandler',
    { bindings: [{ handler: answers(200), condition: true }] },
    `${where}/0/condition: unknown field`,
  ],
]

for (const [name, config, message] of refusals) {
  test(`refuses ${name}`, async () => {
    await assert.rejects(build(SequenceHandler, config, { types }), { code: 'GW_CONFIG_INVALID', message })
  })
}
