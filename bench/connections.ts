import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { startGateway } from './gateway-server.ts'
import { benchIdentity, identityFields } from './identity.ts'
import type { ServerProcess } from './server-process.ts'
import { unitSpread } from './unit-spread.ts'
import { Workspace } from './workspace.ts'

const IDLE_CONNECTIONS = 50_000
const AT_ONCE = 10_000
/** Descriptors of this process and of the gateway that are not client connections; the gateway reserves a part of its own. */
const OTHER_DESCRIPTORS = 500
const MAX_RESERVE = 4_096
/** Connections that wait for their response at the same time, while idle ones are opened. */
const BATCH = 250
/** Each source address has some 28,000 ports. */
const SOURCES = 8
const TIMEOUT = 60_000
/** Few: the memory of closed ones is reused. */
const WARM_UP = 200

const REQUEST = 'GET /text HTTP/1.1\r\nHost: localhost\r\n\r\n'

const anyCertificate = { secureContext: createSecureContext(), rejectUnauthorized: false }

/** A client connection after its first response. */
interface Idle {
  destroy(): unknown
}

/** Prints how connections are spread over units, the memory of idle ones, and the times of many that open at once. */
export async function connectionsBenchmark(report: (text: string) => void): Promise<void> {
  const limit = openFileLimit()
  const possible = Math.floor(limit - Math.min(limit / 4, MAX_RESERVE) - OTHER_DESCRIPTORS)
  const count = Math.min(IDLE_CONNECTIONS, possible)
  if (count < IDLE_CONNECTIONS)
    report(`NOTICE: ${count} connections instead of ${IDLE_CONNECTIONS}: the limit of open files is ${limit}`)
  using workspace = new Workspace()
  await unitSpread(workspace, report)
  const identity = benchIdentity(workspace)
  const text = { type: 'StaticResponseHandler', config: { status: 200, entity: 'hello' } }
  const routes = new Map([['text', { handler: text }]])
  const kinds: readonly (readonly [string, (ports: Ports, at: number) => Promise<Idle>])[] = [
    ['HTTP/1.1', ({ plain }, at) => open(connectTcp({ port: plain, ...from(at) }))],
    ['HTTP/2', ({ plain }, at) => openHttp2(connectTcp({ port: plain, ...from(at) }))],
    ['HTTP/1.1 with TLS', ({ secure }, at) => open(connectTls({ port: secure, ...from(at), ...anyCertificate }))],
  ]
  report('idle connections      number  KB each  opened in')
  for (const [name, make] of kinds) {
    // A new process each: memory of closed connections is not returned to the system.
    const { server, ports } = await start(workspace, name, routes, identityFields(identity))
    await warmUp(ports, make)
    const before = server.residentBytes()
    const started = performance.now()
    const idle = await openAll(count, (at) => make(ports, at))
    const seconds = (performance.now() - started) / 1000
    await pause(1_000)
    const each = (server.residentBytes() - before) / count / 1024
    report(
      `${name.padEnd(20)} ${String(count).padStart(7)} ${each.toFixed(1).padStart(8)} ${seconds.toFixed(1).padStart(8)} s`,
    )
    for (const connection of idle) connection.destroy()
    await server[Symbol.asyncDispose]()
  }
  report(await atOnce(workspace, Math.min(AT_ONCE, possible), routes, identityFields(identity)))
}

interface Ports {
  readonly plain: number
  readonly secure: number
}

async function start(
  workspace: Workspace,
  name: string,
  routes: ReadonlyMap<string, unknown>,
  secure: ReturnType<typeof identityFields>,
): Promise<{ server: ServerProcess; ports: Ports }> {
  const { server, url, plainUrl } = await startGateway(workspace, name.replaceAll(/\W/g, '-'), routes, {
    secure,
    connector: { keepAliveTimeout: '10 minutes' },
  })
  return { server, ports: { secure: Number(new URL(url).port), plain: Number(new URL(plainUrl).port) } }
}

async function warmUp(ports: Ports, make: (ports: Ports, at: number) => Promise<Idle>): Promise<void> {
  const first = await openAll(WARM_UP, (at) => make(ports, at))
  for (const connection of first) connection.destroy()
  await pause(1_000)
}

async function openAll(count: number, make: (at: number) => Promise<Idle>): Promise<Idle[]> {
  const idle: Idle[] = []
  for (let at = 0; at < count; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - at) }, (_, index) => make(at + index))
    idle.push(...(await Promise.all(batch)))
  }
  return idle
}

/** All connections are opened in one turn of the event loop, with a request each. */
async function atOnce(
  workspace: Workspace,
  count: number,
  routes: ReadonlyMap<string, unknown>,
  secure: ReturnType<typeof identityFields>,
): Promise<string> {
  const { server, ports } = await start(workspace, 'at-once', routes, secure)
  await warmUp(ports, ({ plain }, at) => open(connectTcp({ port: plain, ...from(at) })))
  const cpu = server.cpuSeconds()
  const started = performance.now()
  const times: number[] = []
  let failed = 0
  const all = Array.from({ length: count }, async (_, at) => {
    try {
      const connection = await open(connectTcp({ port: ports.plain, ...from(at) }))
      times.push(performance.now() - started)
      return connection
    } catch {
      failed++
      return null
    }
  })
  const opened = await Promise.all(all)
  times.sort((a, b) => a - b)
  const [half, late, last] = [0.5, 0.99, 1].map((part) => times[Math.ceil(times.length * part) - 1] ?? Number.NaN)
  const micros = ((server.cpuSeconds() - cpu) * 1e6) / count
  for (const connection of opened) connection?.destroy()
  await server[Symbol.asyncDispose]()
  return (
    `${count} connections at once, HTTP/1.1: ${failed} failed; answered after ${half?.toFixed(0)} ms (median), ` +
    `${late?.toFixed(0)} ms (99 %), ${last?.toFixed(0)} ms (last); ${micros.toFixed(0)} µs CPU each`
  )
}

function from(at: number): { host: string; localAddress: string } {
  return { host: '127.0.0.1', localAddress: `127.0.0.${2 + (at % SOURCES)}` }
}

/** Sends a request and waits for its response. */
async function open(socket: Socket): Promise<Idle> {
  socket.setNoDelay(true)
  socket.setTimeout(TIMEOUT, () => socket.destroy(new Error('no response')))
  socket.write(REQUEST)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  socket.setTimeout(0)
  socket.on('error', () => {})
  if (!chunk.toString('latin1', 0, 12).endsWith('200'))
    throw new Error(`expected 200, got ${chunk.toString('latin1', 0, 40)}`)
  return socket
}

async function openHttp2(socket: Socket): Promise<Idle> {
  const session: ClientHttp2Session = connectHttp2('http://localhost', { createConnection: () => socket })
  session.on('error', () => {})
  const stream = session.request({ ':path': '/text' })
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
  if (headers[':status'] !== 200) throw new Error(`expected 200, got ${headers[':status']}`)
  stream.resume()
  await once(stream, 'close')
  return session
}

function openFileLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
  return limit === undefined ? 1_024 : Number(limit)
}
