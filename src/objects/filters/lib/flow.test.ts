import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Response, respond } from '#http'
import { createLogger, memoryLog } from '#logging'
import { auditedExchange } from '#test/exchange'
import { type Failure, type FlowState, flow, type Step } from './flow.ts'

interface State extends FlowState {
  readonly ran: string[]
}

async function run(steps: readonly Step<State>[], failures: readonly Failure<State>[] = []) {
  const log = memoryLog()
  const logger = createLogger({ destination: log, level: 'debug' })
  const state: State = { exchange: auditedExchange('GET', 'https://app.test/'), logger, ran: [] }
  const { status } = await flow(steps, failures)(state)
  return { status, ran: state.ran, answeredBy: log.entries.map((entry) => entry['step']) }
}

const prepare = (name: string): Step<State> => ({ name, prepare: ({ ran }) => void ran.push(name) })
const later = (name: string): Step<State> => ({ name, prepare: async ({ ran }) => void ran.push(name) })
const end: Step<State> = { name: 'end', answer: () => respond(200) }

test('steps run in their order, synchronous or not, until one returns a response', async () => {
  const refusal: Step<State> = { name: 'refuse', check: async () => respond(403) }
  const outcome = await run([prepare('a'), later('b'), prepare('c'), refusal, prepare('d'), end])
  assert.deepEqual(outcome, { status: 403, ran: ['a', 'b', 'c'], answeredBy: ['refuse'] })
  assert.deepEqual(await run([prepare('a'), { name: 'check', check: () => null }, end]), {
    status: 200,
    ran: ['a'],
    answeredBy: [],
  })
})

test('a step is skipped where its precondition is false, synchronous or not', async () => {
  const answer = (): Response => respond(500)
  const skipped: Step<State>[] = [
    { name: 'now', when: () => false, answer },
    { name: 'later', when: async () => false, answer },
  ]
  assert.equal((await run([...skipped, end])).status, 200)
  const taken: Step<State> = { name: 'taken', when: async () => true, answer: () => respond(204) }
  assert.equal((await run([...skipped, taken, end])).status, 204)
})

test('the first failure that accepts an error handles it; other errors reject', async () => {
  const failures: Failure<State>[] = [
    { name: 'early', of: RangeError, when: (_, { ran }) => ran.length === 0, answer: () => respond(400) },
    { name: 'range', of: RangeError, answer: () => respond(503) },
  ]
  const failing = (error: Error): Step<State>[] => [
    prepare('a'),
    {
      name: 'throw',
      answer: () => {
        throw error
      },
    },
  ]
  assert.deepEqual(await run(failing(new RangeError()), failures), { status: 503, ran: ['a'], answeredBy: ['range'] })
  await assert.rejects(run(failing(new TypeError('other')), failures), /other/)
  await assert.rejects(
    run([{ name: 'reject', answer: () => Promise.reject(new TypeError('later')) }], failures),
    /later/,
  )
})

test('a flow whose last step may return no response is rejected at construction', () => {
  for (const steps of [[], [prepare('a')], [{ ...end, when: () => true }]])
    assert.throws(() => flow<State>(steps), /expected a last step that always answers/)
})

test('a refusal of a step or failure is a decision; a status that a server chose has no decision', async () => {
  const decided = async (response: Response) => {
    const logger = createLogger({ destination: memoryLog() })
    const decisions: unknown[] = []
    for (const steps of [
      [{ name: 'step', answer: () => response }, end],
      [{ name: 'throw', answer: () => Promise.reject(new RangeError()) }],
    ] satisfies Step<State>[][]) {
      const exchange = auditedExchange('GET', 'https://app.test/')
      await flow<State>(steps, [{ name: 'failure', of: RangeError, answer: () => response }])({
        exchange,
        logger,
        ran: [],
      })
      decisions.push(exchange.audit?.decision?.reason ?? null)
    }
    return decisions
  }
  assert.deepEqual(await decided(respond(403)), ['step', 'failure'])
  assert.deepEqual(await decided(respond(302)), [null, null])
  assert.deepEqual(await decided(new Response(403, { isReceived: true })), [null, null])
})
