import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { startGateway } from './gateway-server.ts'
import type { Workspace } from './workspace.ts'

const UNITS = 4
const COUNTS: readonly number[] = [8, 32, 64, 512]
/** Each opens all connections again, from other ports. */
const ROUNDS = 25
const REQUEST = 'GET /unit HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** An extension whose handler responds with the number of its thread. */
const UNIT_HANDLER = `
import { threadId } from 'node:worker_threads'
export const types = ({ defineType, HandlerKind, Response }) => [
  defineType({
    name: 'UnitHandler',
    kind: HandlerKind,
    summary: 'Responds with the number of its thread.',
    config: {},
    create: () => async () => new Response(200, { body: 'unit ' + threadId }),
  }),
]
`

/** Prints how client connections are spread over units. */
export async function unitSpread(workspace: Workspace, report: (text: string) => void): Promise<void> {
  workspace.write('spread/extra/unit.js', UNIT_HANDLER)
  const routes = new Map([['unit', { handler: { type: 'UnitHandler' } }]])
  const { server, plainUrl } = await startGateway(workspace, 'spread', routes, { units: UNITS })
  await using _ = server
  const port = Number(new URL(plainUrl).port)
  report(`connections over ${UNITS} units   even   most of a unit   fewest   (means of ${ROUNDS} rounds; the largest)`)
  for (const count of COUNTS) {
    const most: number[] = []
    const fewest: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const units = await unitsOf(port, count)
      most.push(Math.max(...units))
      fewest.push(units.length < UNITS ? 0 : Math.min(...units))
    }
    const even = count / UNITS
    const [busiest, idlest] = [mean(most), mean(fewest)]
    report(
      `${String(count).padStart(11)} ${String(even).padStart(19)} ${busiest.toFixed(1).padStart(9)} (${(busiest / even).toFixed(2)}) ` +
        `${idlest.toFixed(1).padStart(8)}   ${Math.max(...most)} (${(Math.max(...most) / even).toFixed(2)})`,
    )
  }
}

/** Opens connections, and returns the number of those of each unit that has any. */
async function unitsOf(port: number, count: number): Promise<number[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1' }))
  const units = new Map<string, number>()
  try {
    for (const unit of await Promise.all(sockets.map(unitOf))) units.set(unit, (units.get(unit) ?? 0) + 1)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  return [...units.values()]
}

async function unitOf(socket: Socket): Promise<string> {
  socket.write(REQUEST)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  const unit = /unit (\d+)/.exec(chunk.toString('latin1'))?.[1]
  if (unit === undefined) throw new Error(`expected the number of a unit, got ${chunk.toString('latin1', 0, 40)}`)
  return unit
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
