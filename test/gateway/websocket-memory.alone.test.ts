// Memory of WebSocket connections of a gateway in a separate process. WEBSOCKETS is the number of idle ones;
// 10000 is the number of threats B69, for which 21,000 open files must be allowed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { WebSocket as WsClient } from 'ws'
import { GatewayProcess } from '#test/gateway-process'
import { once, stopsGrowing, waitUntil, within } from '#test/waiting'
import { webSocketUpstream } from '#test/websocket'
import { acceptingUpstream, frameHead, readBytes, upgraded, writeBytes } from '#test/websocket-frames'

const MESSAGE = 64 * 2 ** 20
/** Buffers of both sockets, and of the allocator: a buffered message would be far above it. */
const GROWTH_LIMIT = 40 * 2 ** 20
/** Capacity of the buffers of the system and of the three processes while an end does not read. */
const HELD_LIMIT = 24 * 2 ** 20
/** Memory of an idle connection, besides uncollected garbage. */
const IDLE_COST_LIMIT = 24 * 1024
const IDLE_NOISE = 96 * 1024 * 1024
const skip = process.platform === 'linux' ? false : 'memory is read from /proc'
const options = { timeout: 60_000, skip }

function gatewayTo(url: string, websocket: object = {}, soTimeout = '30 seconds'): Promise<GatewayProcess> {
  const config = { soTimeout, websocket: { enabled: true, ...websocket } }
  return GatewayProcess.start({
    routes: { app: { name: 'app', baseURI: url, handler: { type: 'ReverseProxyHandler', config } } },
  })
}

/** The increase of the peak memory of a gateway during a run. */
async function growth(gateway: GatewayProcess, running: Promise<unknown>): Promise<number> {
  const before = gateway.residentBytes
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, gateway.residentBytes)
  }, 20)
  await running.finally(() => clearInterval(timer))
  return most - before
}

const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

test('a message of 64 MB passes in both directions, compressed or not, with flat memory', options, async (t) => {
  const { promise: serverEnd, resolve } = Promise.withResolvers<Socket>()
  const extension = 'Sec-WebSocket-Extensions: permessage-deflate\r\n'
  await using upstream = await acceptingUpstream(resolve, extension)
  await using gateway = await gatewayTo(upstream.url)
  const client = await upgraded(gateway.port, '/', extension)
  const server = await within('the server was connected', serverEnd)
  const send = async (from: Socket, to: Socket, compressed: boolean, length = MESSAGE) => {
    const head = frameHead(length, { masked: from === client, compressed })
    from.write(head)
    await Promise.all([writeBytes(from, length), readBytes(to, head.length + length)])
  }
  // The allocator reaches its working size; later increases are growth.
  await send(client, server, false, MESSAGE / 4)
  await send(server, client, false, MESSAGE / 4)
  for (const compressed of [false, true]) {
    const up = await growth(gateway, send(client, server, compressed))
    const down = await growth(gateway, send(server, client, compressed))
    t.diagnostic(`${compressed ? 'compressed' : 'plain'}: ${mebibytes(up)} up, ${mebibytes(down)} down`)
    assert.ok(up < GROWTH_LIMIT && down < GROWTH_LIMIT, `memory grew by ${mebibytes(Math.max(up, down))}`)
  }
  client.destroy()
})

test('a large compressed message arrives unchanged', options, async () => {
  await using upstream = await webSocketUpstream({ perMessageDeflate: { threshold: 0 } })
  await using gateway = await gatewayTo(upstream.url)
  const client = new WsClient(`ws://127.0.0.1:${gateway.port}/`, { maxPayload: 2 ** 28 })
  await once(client, 'open')
  assert.match(client.extensions, /permessage-deflate/)
  const piece = randomBytes(2 ** 20)
  const message = Buffer.concat(
    Array.from({ length: 16 }, (_, at) => (at % 8 === 0 ? piece : Buffer.alloc(2 ** 20, at))),
  )
  client.send(message)
  const [echo] = (await once(client, 'message')) as [Buffer]
  assert.ok(message.equals(echo))
  client.terminate()
})

for (const [who, reads] of [
  ['client', 'the server'],
  ['server', 'the client'],
] as const) {
  test(`a ${who} that does not read pauses ${reads}, and memory of the gateway stays bounded`, options, async (t) => {
    const { promise: serverEnd, resolve } = Promise.withResolvers<Socket>()
    await using upstream = await acceptingUpstream(resolve)
    await using gateway = await gatewayTo(upstream.url)
    const client = await upgraded(gateway.port)
    const [writer, reader] =
      who === 'client'
        ? [await within('the server was connected', serverEnd), client]
        : [client, await within('the server was connected', serverEnd)]
    const length = 512 * 2 ** 20
    writer.write(frameHead(length, { masked: who === 'server' }))
    let sent = 0
    const pouring = writeBytes(writer, length, (count) => {
      sent += count
    })
    const grown = await growth(
      gateway,
      stopsGrowing('the sender was paused', () => sent),
    )
    t.diagnostic(`${mebibytes(sent)} were taken, memory grew by ${mebibytes(grown)}`)
    assert.ok(sent < HELD_LIMIT, `${mebibytes(sent)} were taken from the sender`)
    assert.ok(grown < GROWTH_LIMIT, `memory grew by ${mebibytes(grown)}`)
    reader.destroy()
    await pouring
    await waitUntil('the upstream connections were closed', () => upstream.sockets.size === 0)
  })
}

/** The configured number, or the limit by open files: two for each connection, in the gateway and here. */
function socketCount(notice: (text: string) => void): number {
  const wanted = Number(process.env['WEBSOCKETS'] ?? 300)
  const files = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  const possible = files === 'unlimited' ? wanted : Math.floor((Number(files) - 300) / 2)
  if (possible >= wanted) return wanted
  notice(`NOTICE: ${possible} connections instead of ${wanted}: only ${files} open files are allowed (ulimit -n)`)
  return possible
}

test('B69: idle and half-closed connections are destroyed at soTimeout, and their resources released', {
  timeout: 180_000,
  skip,
}, async (t) => {
  const count = socketCount((text) => t.diagnostic(text))
  // Long enough to open all of them before the first times out, also on a busy machine.
  const soTimeout = 2_000 + count * 12
  await using upstream = await acceptingUpstream((socket) => socket.resume())
  await using gateway = await gatewayTo(upstream.url, { soTimeout: `${soTimeout} ms` })
  // The first connections load code and data that stay in memory.
  const warm = await Promise.all(Array.from({ length: 50 }, () => upgraded(gateway.port)))
  const filesWhileWarm = gateway.openFiles
  for (const client of warm) client.resetAndDestroy()
  await waitUntil('the gateway closed the descriptors of the warm-up', () => gateway.openFiles <= filesWhileWarm - 100)
  const before = gateway.residentBytes
  const filesBefore = gateway.openFiles

  const begin = performance.now()
  const clients: Socket[] = []
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(50, count - clients.length) }, () => upgraded(gateway.port))
    clients.push(...(await Promise.all(batch)))
  }
  const opened = performance.now() - begin
  let closed = 0
  let early = 0
  for (const [at, client] of clients.entries()) {
    if (at % 2 === 0) client.end()
    client.on('end', () => client.end()).resume()
    client.once('close', () => {
      closed++
      if (performance.now() - begin < soTimeout) early++
    })
  }
  const files = gateway.openFiles - filesBefore
  // The first of them time out where the machine takes longer than soTimeout to open all.
  assert.ok(
    files >= 2 * count,
    `${files} descriptors of ${count} connections, ${Math.round(opened)} ms after the first`,
  )
  const cost = (gateway.residentBytes - before) / count
  t.diagnostic(`${count} connections in ${(opened / 1000).toFixed(1)} s, ${(cost / 1024).toFixed(1)} KiB each`)
  await waitUntil('all connections were closed', () => closed >= count, soTimeout + 30_000)
  await waitUntil('the gateway closed all descriptors of the connections', () => gateway.openFiles <= filesBefore)
  assert.equal(early, 0)
  assert.ok(cost * count < IDLE_COST_LIMIT * count + IDLE_NOISE, `${(cost / 1024).toFixed(1)} KiB for each connection`)
})
