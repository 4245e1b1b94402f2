import type { ReceivedResponse, RequestOptions } from '../send-request.ts'

/**
 * A module for `extra/` that measures the longest turn of the event loop of each unit in processor time: unlike the delay,
 * a busy machine does not change it.
 */
export const TURN_EXTENSION = `
import { threadId } from 'node:worker_threads'

const used = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let before = used()
let longest = 0
setInterval(() => {
  const now = used()
  longest = Math.max(longest, now - before)
  before = now
}, 10).unref()

export const types = ({ defineType, HandlerKind, respond }) => [
  defineType({
    name: 'TurnHandler',
    kind: HandlerKind,
    summary: 'Responds with the longest turn since the last request.',
    config: {},
    create: () => async () => {
      const response = respond(200, {}, JSON.stringify({ threadId, longest }))
      longest = 0
      return response
    },
  }),
]
`

export const TURN_ROUTE = { condition: "${request.uri.path == '/turns'}", handler: { type: 'TurnHandler' } }

/** The maximal number of requests to reach every unit: connections are assigned to units at random. */
const MOST_REQUESTS = 50

/** Milliseconds of processor time of the longest turn in any unit since the last call; NaN where a unit does not respond. */
export async function longestTurn(
  send: (path: string, asking: RequestOptions) => Promise<ReceivedResponse>,
  units: number,
): Promise<number> {
  const found = new Map<number, number>()
  for (let count = 0; found.size < units && count < MOST_REQUESTS; count++) {
    const answer = await send('/turns', { signal: AbortSignal.timeout(30_000) }).catch(() => null)
    if (answer?.status !== 200) return Number.NaN
    const { threadId, longest } = JSON.parse(answer.text) as { threadId: number; longest: number }
    found.set(threadId, Math.max(longest, found.get(threadId) ?? 0))
  }
  return Math.max(...found.values())
}
