// h2spec against the connectors of the gateway and against bare node:http2: the gateway fails no case that Node passes.
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Authority } from '#test/certificates'
import { RunningGateway } from '#test/gateway'
import { secureHeap } from '#test/secure-connector'
import { httpUpstream } from '#test/upstream'
import { once } from '#test/waiting'
import { type Flow, runFlows } from '../flows.ts'
import { withOwned } from '../owned.ts'
import { buildH2spec, goMissing, runH2spec, type Target } from './h2spec.ts'

/** Some cases race the response: each server gets this many runs. */
const ROUNDS = 3

/** Cases in which the gateway differs from Node, with the reason. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'without TLS': {
    'http2/3.5 Sends invalid connection preface':
      'HTTP/1.1 has the same port: the bytes are a malformed request, with a 400',
  },
  'with TLS': {},
}

interface Servers {
  readonly node: Target
  readonly gateway: Target
}

function compare(name: string, choose: (all: Peers) => Servers): Flow<Peers> {
  return {
    name: `connectors ${name}: no case fails that node:http2 passes`,
    timeout: 900_000,
    run: async (peers) => {
      const { node, gateway } = choose(peers)
      const [theirs, own] = [await passes(node), await passes(gateway)]
      const known = DIFFERENCES[name] ?? {}
      const worse = [...theirs].filter(([title, count]) => count === ROUNDS && (own.get(title) ?? 0) === 0)
      const unexpected = worse.map(([title]) => title).filter((title) => !Object.hasOwn(known, title))
      if (unexpected.length > 0) throw new Error(`cases that only node:http2 passes:\n  ${unexpected.join('\n  ')}`)
      const reasons = worse.map(([title]) => `\n  ${title}: ${known[title]}`)
      return `of ${theirs.size} cases node:http2 passes ${passed(theirs)}, the gateway ${passed(own)}${reasons.join('')}`
    },
  }
}

/** Passes of each case in all rounds. */
async function passes(target: Target): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [title, isPassed] of await runH2spec(target))
      counts.set(title, (counts.get(title) ?? 0) + (isPassed ? 1 : 0))
  }
  return counts
}

function passed(counts: ReadonlyMap<string, number>): string {
  const [least, most] = [ROUNDS, 1].map((rounds) => [...counts.values()].filter((count) => count >= rounds).length)
  return least === most ? String(least) : `${least} to ${most}`
}

interface Peers {
  readonly clear: Servers
  readonly secure: Servers
}

/** Words choose flows by their name. */
export function run(words: readonly string[]): Promise<boolean> {
  if (goMissing !== false) {
    console.log(`NOTICE: ${goMissing}`)
    return Promise.resolve(false)
  }
  return withOwned(async (owned) => {
    buildH2spec()
    const authority = owned.use(new Authority())
    const issued = authority.issue({ name: 'localhost' })
    const upstream = owned.use(await httpUpstream((_request, response) => response.end('hello world')))
    const gateway = owned.use(
      await RunningGateway.start({
        admin: {
          connectors: [
            { port: 0, host: '127.0.0.1' },
            { port: 0, host: '127.0.0.1', tls: 'https' },
          ],
          adminConnector: { port: 0 },
          gatewayUnits: 1,
          heap: secureHeap(issued),
        },
        routes: { all: { baseURI: upstream.url, handler: 'ReverseProxyHandler' } },
      }),
    )
    const [plain = 0, tls = 0] = gateway.gateway.ports
    const bare = async (server: Http2Server): Promise<number> => {
      owned.defer(() => void server.close())
      server.on('stream', answer).on('sessionError', () => {})
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    }
    const peers: Peers = {
      clear: {
        node: { port: await bare(createServer()), isSecure: false },
        gateway: { port: plain, isSecure: false },
      },
      secure: {
        node: { port: await bare(createSecureServer({ key: issued.key, cert: issued.certificate })), isSecure: true },
        gateway: { port: tls, isSecure: true },
      },
    }
    const flows = [compare('without TLS', ({ clear }) => clear), compare('with TLS', ({ secure }) => secure)]
    const chosen = flows.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
    return runFlows(chosen, peers, gateway.log)
  })
}

function answer(stream: ServerHttp2Stream): void {
  stream.on('error', () => {})
  if (stream.destroyed) return
  stream.respond({ ':status': 200, 'content-type': 'text/plain' })
  stream.end('hello world')
}
